import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../../..')
const FOLDERS = ['apps/console/src', 'apps/server/src', 'packages/contract/src']
const CHINESE = /\p{Script=Han}/u

/** Allowed texts: exact texts of the specification, names of other software, former words in stored dictionaries, search words. */
const EXACT = [
  '请输入真实名称',
  // A word that people search for, which no screen shows.
  "words: '员工 账号'",
  '租户名（tenant）',
  ...['强退', '已到期', '待审核', '已拒绝'].map((word) => `label: '${word}'`),
  // Advertising: the dictionary of audit states and the task of the home page.
  '广告审核状态',
  "['1', '待审核', 'warning']",
  '待审核的广告',
  '待审核广告',
  '由平台审核',
  '广告审核方',
  '自己的人员审核',
  "roleName: '广告审核'",
]

/** A non-breaking blank before the unit, and durations of several units: `2天3小时`. */
const DURATIONS = /\\u00a0|天3小时|24\)\}天/

/** Advertising calls the review of content 审核, as the law does. Everything else says 审批. */
const ADVERTISING = /(advertise|\/ads?[/-]|ad-engine)/
const REVIEW = '审核'

/** Returns each refused word of the screen words table with the word to use. */
function refusedWords() {
  const glossary = readFileSync(join(ROOT, 'docs/reference/glossary.md'), 'utf8')
  const section = glossary.split('## Screen words')[1]!.split('\n## ')[0]!
  const rows = [...section.matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$/gm)].slice(2)
  return rows.flatMap(([, use, refused]) => refused!.split(', ').map((word) => ({ use: use!, word })))
}

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.'))
    .map((path) => join(folder, path)),
)

/** Returns the refused words of a text as sentences. Comments are searched too, because they name screen words. */
const findRefused = (text: string, words: ReturnType<typeof refusedWords>) =>
  text.split('\n').flatMap((line, at) => {
    if (!CHINESE.test(line)) return []
    const rest = EXACT.reduce((left, exact) => left.replaceAll(exact, ''), line)
    return words.filter(({ word }) => rest.includes(word)).map(({ use, word }) => `line ${at + 1}: ${word}, use ${use}`)
  })

describe('screen words of docs/reference/glossary.md', () => {
  const words = refusedWords()
  const elsewhere = words.filter(({ word }) => word !== REVIEW)

  test('no source file of console, server or contract contains a Chinese word that the glossary refuses', () => {
    expect(sources.length).toBeGreaterThan(800)
    expect(words.length).toBeGreaterThan(30)
    const found = sources.flatMap((path) =>
      findRefused(readFileSync(join(ROOT, path), 'utf8'), ADVERTISING.test(path) ? elsewhere : words).map(
        (sentence) => `${path}, ${sentence}`,
      ),
    )
    expect(found).toEqual([])
  })

  test('a blank separates a number from the days that it counts, and in the console from every unit', () => {
    const days = /[\d}]天/
    const units = /[\d}](?:天|台|小时|分钟|秒|份|轮|次|条|项)(?!\d)/
    const found = sources.flatMap((path) => {
      const unit = path.startsWith('apps/console/') ? units : days
      return readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .filter((line) => unit.test(line) && !/最多|不能超过|须在/.test(line) && !DURATIONS.test(line))
        .map((line) => `${path}: ${line.trim()}`)
    })
    expect(found).toEqual([])
  })

  test('a word that the glossary refuses is found, except within an exact text of the specification', () => {
    expect(findRefused("label: '真实名称'", words)).toEqual(['line 1: 真实名称, use 姓名'])
    expect(findRefused("message: '请输入真实名称'", words)).toEqual([])
  })

  test('no recommended word of the glossary contains a refused word', () => {
    const used = new Set(words.flatMap(({ use }) => use.split(', ')))
    expect([...used].filter((use) => elsewhere.some(({ word }) => use.includes(word)))).toEqual([])
  })
})
