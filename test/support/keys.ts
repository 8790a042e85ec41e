/** API keys of the reference catalogue, by the groups of their users. */
export const keys = {
  /** in every group */
  admin: 'AdminKey00000000000000000000000000000000',
  /** of `editcomponents` */
  editor: 'EditorKey0000000000000000000000000000000',
  /** of `taggers` */
  tagger: 'UserKey000000000000000000000000000000000',
  /** of `insiders` and `taggers` */
  insider: 'InsiderKey000000000000000000000000000000',
  /** of `timetrackers` */
  tracker: 'TrackerKey000000000000000000000000000000',
  /** in no group with rights */
  plain: 'PlainKey00000000000000000000000000000000',
  /** of `secret-team`, `insiders` and `taggers` */
  secret: 'SecretKey0000000000000000000000000000000',
  disabled: 'DisabledKey00000000000000000000000000000',
  revoked: 'RevokedKey000000000000000000000000000000',
  /** not in the catalogue */
  unknown: 'UnknownKey000000000000000000000000000000',
} as const;
