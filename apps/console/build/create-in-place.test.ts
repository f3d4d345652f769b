import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const MODULES = join(import.meta.dirname, '../src/modules')
/** A field of a form with a picker of records, and the attributes of the picker. Filters of lists are `<Filter>`. */
const FIELD = /<(?:Field|Form\.Item) [^>]*>\s*<((?:Tenant|Buyer|Package|Agent|Device|Model|Group)s?Picker)\b([^>]*)>/g
/** Forms that cannot use a new record. */
const NEEDS_AN_OLD_ONE: Readonly<Record<string, string>> = {
  'device/device-forms.tsx GroupPicker': 'removes devices from a group',
  'agent/voices/voiceprint-dialogs.tsx AgentPicker': 'uses a recorded conversation or the enrolled voices of an agent',
  'agent/agents/template-dialogs.tsx AgentPicker': 'copies an agent',
  'agent/orders/order-fields.tsx PackagePicker': 'follows the scope of the chosen package',
}
/** Pickers that offer the new record themselves. */
const OFFERING = /^upgrade\//

test('every form field that selects records of another page offers a button that creates such a record', () => {
  const found = readdirSync(MODULES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx') && !file.includes('.test.') && !OFFERING.test(file))
    .flatMap((file) =>
      [...readFileSync(join(MODULES, file), 'utf8').matchAll(FIELD)]
        .filter(([, , attributes = '']) => !/\bcreate=/.test(attributes))
        .map(([, picker]) => `${file} ${picker}`),
    )
  expect(found.filter((place) => !(place in NEEDS_AN_OLD_ONE))).toEqual([])
  expect(Object.keys(NEEDS_AN_OLD_ONE).filter((place) => !found.includes(place))).toEqual([])
})
