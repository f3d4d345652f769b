import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { split, UNUSED } from './antd-styles.ts'

test('every rule lands in one sheet, demo variables and unused components in none', () => {
  const css = [
    '.ant-btn{color:red;}',
    '.ant-table{color:red;}',
    '.ant-tour{color:red;}',
    '.css-var-_R_0_.ant-btn{--ant-x:1;}',
    '@media (min-width: 1px){.ant-table-cell{color:red;}}',
    '@keyframes antFadeIn{0%{opacity:0;}}',
    '.ant-fade{animation-name:antFadeIn;}',
  ]
  const { shell, rest } = split(css.join(''))
  expect(shell).toBe(`${css[0]}${css[6]}${css[5]}`)
  expect(rest).toBe(`${css[1]}${css[4]}`)
})

test('what can never match is left out, rule by rule and selector by selector', () => {
  const { shell } = split(
    [
      '.ant-btn-rtl,.ant-btn{color:red;}',
      '.ant-col-12{color:red;}',
      '.ant-col{color:red;}',
      '@media (min-width: 1px){.ant-col-md-offset-2{color:red;}}',
      '@media (min-width: 2px){.ant-btn-rtl{color:red;}.ant-btn{color:blue;}}',
      '.ant-btn-color-pink{color:red;}',
      '.ant-btn-color-primary:not(:disabled,.x){color:red;}',
    ].join(''),
  )
  expect(shell).toBe(
    '.ant-btn{color:red;}.ant-col{color:red;}@media (min-width: 2px){.ant-btn{color:blue;}}.ant-btn-color-primary:not(:disabled,.x){color:red;}',
  )
})

test('no component that is imported anywhere goes without its styles', () => {
  const src = join(import.meta.dirname, '../src')
  const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(join(src, file), 'utf8'))
  const imported = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/import \{([^}]*)\} from 'antd'/g)].flatMap(([, names = '']) =>
        names.split(',').map((name) => name.trim().toLowerCase()),
      ),
    ),
  )
  expect(imported).toContain('button')
  expect([...imported].filter((name) => UNUSED.has(name))).toEqual([])
})
