import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';

interface MonthlyBudgetProps {
  dollars: number;
  /** email address that is notified */
  address: string;
}

/**
 * A budget of the whole account, because costs can be told apart by tags only when the account activates these: a message
 * when the month's costs are over it, or are forecast to be.
 */
export class MonthlyBudget extends Construct {
  constructor(scope: Construct, id: string, { dollars, address }: MonthlyBudgetProps) {
    super(scope, id);
    new CfnBudget(this, 'Budget', {
      budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: dollars, unit: 'USD' } },
      notificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((notificationType) => ({
        notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100 },
        subscribers: [{ subscriptionType: 'EMAIL', address }],
      })),
    });
  }
}
