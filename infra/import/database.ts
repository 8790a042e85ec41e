import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import * as z from 'zod';
import { UsageError } from '../admin/context.ts';
import { Row } from './row.ts';

/** Runs a statement. */
type Query = (sql: string) => Promise<ReturnType<typeof rowsOf>>;

interface Connection {
  query: Query;
  close(): Promise<void>;
  /** tables with their columns */
  columns(): Promise<readonly (readonly [table: string, column: string])[]>;
  /** the statement that finds the zone, as `zone` */
  zone: string;
}

/** What connects to a database by its address. */
const CONNECT: Record<string, (address: URL, password: string | undefined) => Promise<Connection>> = {
  'mysql:': connectMysql,
  'mariadb:': connectMysql,
  'postgres:': connectPostgres,
  'postgresql:': connectPostgres,
  'sqlite:': connectSqlite,
};

const SCHEMES = 'mysql://USER@HOST/DATABASE, postgres://USER@HOST/DATABASE, or sqlite:FILE';

/** The address of a database. @throws UsageError */
export function parseAddress(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url !== undefined && Object.hasOwn(CONNECT, url.protocol)) return url;
  throw new UsageError(`The address of Bugzilla's database must be like ${SCHEMES}`);
}

/** An address without user, password and options, for output and files. */
export const publicAddress = ({ protocol, host, pathname }: URL): string =>
  `${protocol}${protocol === 'sqlite:' ? '' : '//'}${host}${pathname}`;

/**
 * Opens a database of Bugzilla, and begins a transaction that only reads: one consistent snapshot.
 *
 * @param password undefined: there is none
 * @throws UsageError when it cannot be opened, or is not one of Bugzilla
 */
export async function openDatabase(address: URL, password: string | undefined) {
  const name = publicAddress(address);
  const fail = (error: unknown): never => {
    throw new UsageError(`${name} cannot be read: ${reasonOf(error)}`);
  };
  const connect = CONNECT[address.protocol] ?? fail;
  const connection = await connect(address, password).catch(fail);
  let isOpen = true;
  /** Ends the snapshot; what is closed can be closed again. */
  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    // One that is lost cannot be closed.
    await connection.close().catch(() => undefined);
  }
  const closeAndFail = (error: unknown): Promise<never> => close().then(() => fail(error));
  const run: Query = (sql) => connection.query(sql).catch(closeAndFail);
  /** those of each table, by names in lower case */
  const columns = new Map<string, Set<string>>();
  for (const [table, column] of await connection.columns().catch(closeAndFail)) {
    const known = columns.get(table.toLowerCase()) ?? new Set();
    columns.set(table.toLowerCase(), known.add(column.toLowerCase()));
  }
  const [zone] = await run(connection.zone);
  const read = new Map<string, Set<string>>();
  /**
   * The rows of a table, without the columns that it lacks; a table that does not exist has none.
   *
   * @param names of columns, separated by blanks
   * @param rest of the statement, in SQL that all databases understand: names in double quotes where they are reserved
   */
  async function select(table: string, names: string, rest = ''): Promise<Row[]> {
    const wanted = names.split(' ');
    const known = columns.get(table);
    read.set(table, new Set([...(read.get(table) ?? []), ...wanted]));
    const present = wanted.filter((column) => known?.has(column));
    if (present.length === 0) return [];
    const rows = await run(`SELECT ${present.map((one) => `"${one}"`).join(', ')} FROM "${table}" ${rest}`);
    return rows.map((row) => new Row(table, row));
  }
  return {
    /** without user and password */
    address: name,
    columns,
    /** the zone of the clock of the database server, as it names it */
    zone: String(zone?.['zone'] ?? ''),
    select,
    /** The same by the number in a column, which is one of them. */
    selectBy: async (table: string, column: string, names: string, rest?: string) =>
      Map.groupBy(await select(table, `${column} ${names}`, rest), (row) => row.number(column)),
    /** The bytes that a column has, by ids. */
    async lengths(table: string, id: string, column: string, rest: string) {
      if (!columns.has(table)) return new Map<number, number>();
      const rows = await run(`SELECT ${id} AS id, LENGTH(${column}) AS bytes FROM "${table}" ${rest}`);
      return new Map(rows.map((row) => [Number(row['id']), Number(row['bytes'] ?? 0)]));
    },
    /** What the tables that were read have beside the columns that were read, as `table.column`. */
    others: () =>
      [...read].flatMap(([table, wanted]) =>
        [...(columns.get(table) ?? [])].flatMap((one) => (wanted.has(one) ? [] : [`${table}.${one}`])),
      ),
    /** How many rows a table has. */
    async count(table: string) {
      // Without an index, of which SQLite may not know the order.
      const [row] = await run(
        `SELECT COUNT(*) AS n FROM "${table}"${address.protocol === 'sqlite:' ? ' NOT INDEXED' : ''}`,
      );
      return Number(row?.['n'] ?? 0);
    },
    close,
  };
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Why a driver failed, without what it may say of the password. */
function reasonOf(error: unknown): string {
  const { data } = z.object({ code: z.string().optional(), message: z.string() }).safeParse(error);
  if (data === undefined) return String(error);
  return data.message === '' ? (data.code ?? 'it failed') : data.message;
}

const PORTS: Record<string, number> = { 'mysql:': 3306, 'mariadb:': 3306 };

/** Whether the connection is to use TLS; the server's certificate and name are verified. */
const isEncrypted = ({ searchParams }: URL): boolean => searchParams.has('ssl');

/** The columns by the standard's views. @param schema the expression of the current one */
const standardColumns = (query: Query, schema: string) => async () => {
  const names = 'SELECT table_name AS t, column_name AS c FROM information_schema.columns';
  const found = await query(`${names} WHERE table_schema = ${schema}`);
  return found.map((row) => [String(row['t']), String(row['c'])] as const);
};

async function connectMysql(address: URL, password: string | undefined): Promise<Connection> {
  const socket = address.searchParams.get('socket');
  const connection = await createConnection({
    ...(socket === null
      ? { host: address.hostname, port: Number(address.port || PORTS[address.protocol]) }
      : { socketPath: socket }),
    user: decodeURIComponent(address.username),
    ...(password === undefined ? {} : { password }),
    database: decodeURIComponent(address.pathname.slice(1)),
    charset: 'utf8mb4',
    dateStrings: true,
    supportBigNumbers: true,
    ...(isEncrypted(address) ? { ssl: { verifyIdentity: true } } : {}),
  });
  const query: Query = async (sql) => {
    const [rows] = await connection.query(sql);
    return rowsOf(rows);
  };
  // Names in double quotes, and a backslash as itself.
  await connection.query("SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'");
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
  return {
    query,
    close: () => connection.end(),
    columns: standardColumns(query, 'DATABASE()'),
    zone: `SELECT CASE WHEN @@global.time_zone = 'SYSTEM' THEN @@system_time_zone ELSE @@global.time_zone END AS zone`,
  };
}

const BYTEA = 17;

async function connectPostgres(address: URL, password: string | undefined): Promise<Connection> {
  const client = new pg.Client({
    host: address.searchParams.get('socket') ?? address.hostname,
    port: Number(address.port || 5432),
    user: decodeURIComponent(address.username),
    ...(password === undefined ? {} : { password }),
    database: decodeURIComponent(address.pathname.slice(1)),
    // Else PGSSLMODE of the environment decides.
    ...(isEncrypted(address) ? { ssl: true } : {}),
    types: {
      // Times as the server writes them, in no zone; bytes in hexadecimal.
      getTypeParser: (type: number) => (text: string) =>
        type === BYTEA ? Buffer.from(text.slice(2), 'hex') : text,
    },
  });
  // A lost connection is the failure of the statement that waits.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const query: Query = async (sql) => rowsOf((await client.query(sql)).rows);
  return {
    query,
    close: () => client.end(),
    columns: standardColumns(query, 'current_schema()'),
    zone: "SELECT reset_val AS zone FROM pg_settings WHERE name = 'TimeZone'",
  };
}

async function connectSqlite(address: URL): Promise<Connection> {
  const database = new DatabaseSync(decodeURIComponent(address.pathname), { readOnly: true });
  database.exec('BEGIN');
  const query: Query = async (sql) => database.prepare(sql).all();
  return {
    query,
    close: async () => database.close(),
    async columns() {
      const found = await query("SELECT name FROM sqlite_master WHERE type = 'table'");
      const tables = found.map(async (table) => {
        const name = String(table['name']);
        const columns = await query(`PRAGMA table_info("${name.replaceAll('"', '""')}")`);
        return columns.map((row) => [name, String(row['name'])] as const);
      });
      return (await Promise.all(tables)).flat();
    },
    zone: `SELECT '${Intl.DateTimeFormat().resolvedOptions().timeZone}' AS zone`,
  };
}

const rows = z.array(z.record(z.string(), z.unknown()));

const rowsOf = (given: unknown) => rows.parse(given);
