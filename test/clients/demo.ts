/** API keys of the demo. */
export const keys = {
  admin: 'AdminDemoKey0000000000000000000000000000',
  dev: 'DevDemoKey000000000000000000000000000000',
  reporter: 'ReporterDemoKey0000000000000000000000000',
  former: 'FormerDemoKey000000000000000000000000000',
};
