import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { split } from './antd-styles.ts'

const folders = (folder: string) => ['button', 'table', 'date-picker'].includes(folder)

test('the build puts each antd rule into the style sheet of its component', () => {
  const css = [
    '.ant-btn{color:red;}',
    '.ant-table{color:red;}',
    '.css-var-_R_0_.ant-btn{--ant-x:1;}',
    '@media (min-width: 1px){.ant-table-cell{color:red;}}',
    '@keyframes antFadeIn{0%{opacity:0;}}',
    '.ant-fade{animation-name:antFadeIn;}',
    '.ant-picker{color:red;}',
    '.ant-picker-dropdown .ant-picker-cell{color:red;}',
  ]
  expect(Object.fromEntries(split(css.join(''), folders))).toEqual({
    btn: css[0],
    table: `${css[1]}${css[3]}`,
    shared: `${css[5]}${css[4]}`,
    picker: css[6],
    pickerpanel: css[7],
  })
})

test('the build puts an animation into the style sheet of its only component, or into the shared style sheet', () => {
  const moves = '@keyframes antMove{0%{opacity:0;}}'
  const one = split(`${moves}.ant-btn{animation-name:antMove;}`, folders)
  expect(one.get('btn')).toContain(moves)
  const two = split(`${moves}.ant-btn{animation-name:antMove;}.ant-table{animation-name:antMove;}`, folders)
  expect(two.get('shared')).toBe(moves)
})

test('rules of equal specificity keep their priority when the build splits them into several style sheets', () => {
  const reset = '.ant-picker-css-var [class^="ant-picker"]{box-sizing:border-box;}'
  const css = [
    reset,
    '.ant-tree-select-dropdown{padding:1px;}',
    '.ant-popconfirm{z-index:1;}',
    '.ant-popconfirm .a{top:0;}',
  ]
  const pieces = split(css.join(''), () => true)
  expect(Object.fromEntries(pieces)).toEqual({
    shared: reset,
    tree: '.ant-tree-select-dropdown.ant-tree-select-dropdown{padding:1px;}',
    popconfirm: `:where(.ant-popconfirm){z-index:1;}${css[3]}`,
  })
})

test('the number field gets its own style sheet although its class name begins with that of the text field', () => {
  const css = ['.ant-input{color:red;}', '.ant-input-number{color:red;}']
  const pieces = split(css.join(''), (folder) => ['input', 'input-number'].includes(folder))
  expect(Object.fromEntries(pieces)).toEqual({ input: css[0], inputnumber: css[1] })
})

const SRC = join(import.meta.dirname, '../../src')
const texts = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => readFileSync(join(SRC, file), 'utf8'))

const namesIn = (text: string) =>
  [...text.matchAll(/import \{([^}]*)\} from 'antd'/g)].flatMap(([, names = '']) =>
    names.split(',').flatMap((name) => /^[A-Z]\w+$/.exec(name.trim())?.[0] ?? []),
  )
const imported = new Set(texts.flatMap(namesIn))

/** Types, and the component that only provides the theme. */
const NOT_SHOWN = /^(?:ConfigProvider|FormInstance|\w+Props|ThemeConfig|TableColumnType|UploadFile)$/

test('the page that compares styles shows every antd component that the console imports', () => {
  const folder = join(SRC, '../test/antd-states')
  const shown = readdirSync(folder).flatMap((file) => namesIn(readFileSync(join(folder, file), 'utf8')))
  expect([...imported].filter((name) => !shown.includes(name) && !NOT_SHOWN.test(name))).toEqual([])
})
