import { CATALOGUE } from './catalogue.ts'

/**
 * Permissions to read the history of a record, by record kind (`bizType` of an operation): the permissions of the
 * lists that contain the record. One of them is sufficient. Other kinds require the permission of the operation log.
 */
export const HISTORY_PERMISSIONS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [
    ...Map.groupBy(
      CATALOGUE.flatMap(({ pages }) =>
        pages.flatMap(({ prefix, opens = 'list', records = [] }) =>
          records.map((record) => ({ record, permission: `${prefix}:${opens}` })),
        ),
      ),
      ({ record }) => record,
    ),
  ].map(([record, found]) => [record, found.map(({ permission }) => permission)]),
)
