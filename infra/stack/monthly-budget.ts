import { Annotations, type Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';

/** CloudFormation has no budgets there, and refuses a template with one. */
const REGIONS_WITHOUT_BUDGETS: readonly (string | undefined)[] = ['eu-central-2'];

/**
 * Adds a budget of the whole account, because costs can be told apart by tags only when the account activates these: a
 * message when the month's costs are over it, or are forecast to be.
 *
 * @param address email address that is notified
 * @param region of the deployment; undefined: not known
 */
export function addMonthlyBudget(
  stack: Stack,
  dollars: number,
  address: string,
  region: string | undefined,
): void {
  if (REGIONS_WITHOUT_BUDGETS.includes(region)) {
    const text = `monthlyBudget is left out: CloudFormation has no budgets in ${region}`;
    Annotations.of(stack).addWarningV2('bugless:no-budget', text);
    return;
  }
  new CfnBudget(new Construct(stack, 'Budget'), 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: dollars, unit: 'USD' } },
    notificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((notificationType) => ({
      notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100 },
      subscribers: [{ subscriptionType: 'EMAIL', address }],
    })),
  });
}
