import { expect, it } from 'vitest';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { adminOf } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { aProduct } from '../support/small-catalogue.ts';

it('products in which 1.2.0 would file bugs in public are closed before a rollback', async () => {
  const controls = {
    Strangers: { membercontrol: 'SHOWN', othercontrol: 'DEFAULT' },
    Inherited: { membercontrol: 'DEFAULT', group: 'staff' },
    Members: { membercontrol: 'DEFAULT' },
    Chosen: { membercontrol: 'SHOWN', othercontrol: 'SHOWN' },
    Everybody: { membercontrol: 'MANDATORY' },
  };
  const table = await newTable(
    parseCatalogue({
      groups: [{ name: 'security' }, { name: 'staff', user_regexp: '@example\\.com$' }],
      products: Object.entries(controls).map(([name, control], index) =>
        aProduct(index + 1, name, { group_controls: [{ group: 'security', ...control }] }),
      ),
    }),
  );
  const { stdout } = await adminOf(table)('group', 'close');
  expect(stdout).toBe('Strangers\nInherited\n');
  const open: string[] = [];
  for await (const page of productRepository(table).index()) {
    open.push(...page.filter(({ takes_bugs }) => takes_bugs).map(({ name }) => name));
  }
  expect(open).toEqual(['Members', 'Chosen', 'Everybody']);
});
