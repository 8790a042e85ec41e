import type { Catalogue, CatalogueBug } from '../../lib/catalogue/schema.ts';
import { HIDDEN_GROUP, readBugs, type SourceBug } from './read-bugs.ts';
import { readPeople } from './read-people.ts';
import { readProducts } from './read-products.ts';
import { readSettings } from './read-settings.ts';
import { ADDED_ID, type Source } from './read-source.ts';
import { sanitizeCatalogue } from './sanitize.ts';

/** What a database of Bugzilla has, as a catalogue: rows become entries, and what no catalogue can have is left out and listed. */
export async function readSourceCatalogue(source: Source) {
  const { problems } = source;
  const people = await readPeople(source);
  const fields = await readSettings(source);
  const { products, found } = await readProducts(source, people.names, fields.classificationNames);
  const referred = {
    names: people.names,
    products: found,
    fieldNames: fields.fieldNames,
    keywordNames: fields.keywordNames,
    customFields: fields.customFields,
  };
  /** whether bugs of a status are closed that no table has */
  const otherStatuses = new Map<string, boolean>();
  let isHidden = false;
  const told = new Set<string>();

  /** A bug that a catalogue can have; undefined: there is none. */
  function valid({ attachments, ...given }: SourceBug): CatalogueBug | undefined {
    const data = new Map(attachments.map((one) => [one.id, one.data]));
    // The data is read when it is written.
    const bug = { ...given, attachments: attachments.map((one) => ({ ...one, data: '' })) };
    const { catalogue, removed } = sanitizeCatalogue({ bugs: [bug] });
    const [result] = catalogue.bugs;
    for (const { what, why } of removed) {
      problems.add(result === undefined ? 'bugs left out' : 'other parts of bugs left out', what, why);
    }
    for (const one of result?.attachments ?? []) one.data = data.get(one.id) ?? one.data;
    return result;
  }

  return {
    /** The bugs in the order of their ids, each time they are iterated anew. */
    async *bugs(): AsyncGenerator<CatalogueBug> {
      for await (const given of readBugs(source, referred)) {
        const bug = valid(given);
        if (bug === undefined) continue;
        isHidden ||= bug.groups?.includes(HIDDEN_GROUP) === true;
        const { status = '', resolution } = bug;
        if (status !== '' && !fields.statuses.has(status)) {
          otherStatuses.set(status, otherStatuses.get(status) === true || resolution !== '');
        }
        yield bug;
      }
    },

    /** Everything but the bugs; complete after these were read, as they name what Bugzilla does not have any more. */
    settings(): Catalogue {
      const standIns = people.standIns();
      const groups = [...people.groups, ...standIns.groups];
      const description = 'Bugs that Bugzilla showed to nobody';
      const hidden = { id: ADDED_ID, name: HIDDEN_GROUP, description, is_active: false };
      const { field_values, ...others } = fields.settings;
      const bug_status = [
        ...field_values.bug_status,
        ...[...otherStatuses].map(([name, isClosed]) => {
          return { name, is_open: !isClosed, is_active: false, can_change_to: [] };
        }),
      ];
      const { catalogue, removed } = sanitizeCatalogue({
        ...others,
        field_values: { ...field_values, bug_status },
        groups: withAdministrators([...groups, ...(isHidden ? [hidden] : [])], [...standIns.groups, hidden]),
        users: [...people.users, ...standIns.users],
        products: products.map((product) => ({
          ...product,
          components: [...product.components, ...(found.get(product.id)?.standIns ?? [])],
        })),
      });
      for (const { list, what, why } of removed) {
        if (told.has(`${what} ${why}`)) continue;
        told.add(`${what} ${why}`);
        problems.add(
          list === 'users'
            ? 'parts of users left out'
            : list === 'products'
              ? 'parts of products left out'
              : 'fields, values and keywords left out',
          what,
          why,
        );
      }
      return catalogue;
    },
  };
}

/** Administrators are in every group of Bugzilla, and so in those that stand in for others. */
const withAdministrators = <T extends { name: string; member_of?: string[] }>(
  groups: readonly T[],
  standIns: readonly { name: string }[],
) => {
  const names = new Set(standIns.map(({ name }) => name));
  const added = groups.flatMap(({ name }) => (names.has(name) ? [name] : []));
  return groups.map((group) =>
    group.name === ADMINISTRATORS
      ? { ...group, member_of: [...new Set([...(group.member_of ?? []), ...added])] }
      : group,
  );
};

const ADMINISTRATORS = 'admin';
