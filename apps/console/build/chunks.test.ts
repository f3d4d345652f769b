import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GROUPS, groupsMatched } from './chunks.ts'

const SRC = join(import.meta.dirname, '../src')

test.each([
  ['list', 'kit/table/data-table.tsx'],
  ['list', 'kit/list/status-switch.tsx'],
  ['form', 'kit/form/field.tsx'],
  ['select', 'kit/form/full-select.tsx'],
  ['dates', 'kit/form/field-date.tsx'],
  ['menu-icons', 'kit/pickers/menu-icons-builtin.tsx'],
])('the chunk %s contains the module %s', (group, file) => {
  expect(GROUPS.find(({ test }) => test.test(join(SRC, file)))?.name).toBe(group)
})

test('the build fails when a chunk group matches no module', () => {
  const { buildEnd } = groupsMatched() as unknown as { buildEnd(this: object): void }
  const context = {
    getModuleIds: () => ['/x/node_modules/react/index.js'],
    error: (message: string) => {
      throw new Error(message)
    },
  }
  expect(() => buildEnd.call(context)).toThrow(/match no module: icons, antd, .*charts/)
})
