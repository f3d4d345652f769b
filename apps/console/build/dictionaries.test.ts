import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DICT_SEED } from '@oms/contract/system/dict-seed.ts'
import { PROBLEM_DICT } from '@oms/contract/ticket/ticket-rows.ts'
import { expect, test } from 'vitest'

const CONSOLE = join(import.meta.dirname, '../src')

test('every page that shows codes of a dictionary reads the dictionary', () => {
  const source = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
    .map((file) => readFileSync(join(CONSOLE, file), 'utf8'))
    .join('\n')
  const byPart: readonly string[] = Object.values(PROBLEM_DICT)
  const isFollowed = (type: string) =>
    byPart.includes(type) || source.includes(`'${type}'`) || source.includes(`"${type}"`)
  const unused = DICT_SEED.map(({ type }) => type).filter((type) => !isFollowed(type))
  expect(unused).toEqual([])
})

/** Constants of the contract whose words a dictionary may replace. */
const WORDS =
  'GENDER|NOTICE_TYPE|NOTICE_STATUS|OPERATION_LABELS|LOG_STATUS|TICKET_HANDLING_STATUS|PROBLEM_TYPE|COMPANY_SIZE|TENANT_LEVEL|' +
  'APPLY_STATUS|COMPONENT_TYPE|LICENSE_VENDORS|LICENSE_STATE|RECORD_TYPE|ENTITLEMENT_STATE|AUDIT_STATUS|' +
  'PROGRAM_STATUS_NAME|PLAY_MODE_NAME'
/** Fields of these codes, by the folder of their screens. A default rendering shows the words of the contract. */
const FIELDS: Readonly<Record<string, string>> = {
  log: 'businessType|status',
  notice: 'type|status',
  ota: 'type',
  staff: 'gender',
  tenant: 'level|companySize',
  license: 'vendor|state|fromState|toState',
  ticket: 'problemType',
  advertise: 'adType|auditStatus|playMode',
  storage: 'recordType',
}

test('every page shows dictionary codes with the labels of the dictionary, never with constants', () => {
  const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('.test.'),
  )
  const direct = files.flatMap((file) => {
    const source = readFileSync(join(CONSOLE, file), 'utf8').replaceAll(/^import [\s\S]*?from .*$/gm, '')
    const followed = source.replaceAll(
      new RegExp(`words=\\{(?:${WORDS})\\}|useDictLabels\\([^,]*, (?:${WORDS})\\)`, 'g'),
      '',
    )
    const uses = followed.match(new RegExp(`(?<![\\w.])(?:${WORDS})\\b`, 'g')) ?? []
    const fields = FIELDS[/^modules\/([^/]+)\//.exec(file)?.[1] ?? '']
    const plain = fields
      ? (followed.match(
          new RegExp(
            `(?:item|col)\\('(?:${fields})'(?:\\)|, \\{)|<Select\\w+ of=\\{\\w+\\} name="(?:${fields})"(?![^>]*options)`,
            'g',
          ),
        ) ?? [])
      : []
    return [...uses, ...plain].map((use) => `${file}: ${use}`)
  })
  expect(direct).toEqual([])
})
