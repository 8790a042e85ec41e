import type { Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';

/**
 * Adds a budget of the whole account, because costs can be told apart by tags only when the account activates these: a
 * message when the month's costs are over it, or are forecast to be.
 *
 * @param address email address that is notified
 */
export function addMonthlyBudget(stack: Stack, dollars: number, address: string): void {
  new CfnBudget(new Construct(stack, 'Budget'), 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: dollars, unit: 'USD' } },
    notificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((notificationType) => ({
      notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100 },
      subscribers: [{ subscriptionType: 'EMAIL', address }],
    })),
  });
}
