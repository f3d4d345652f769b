import { readFileSync } from 'node:fs'
import * as antd from 'antd'
import { createElement, type FunctionComponent } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { ColorScheme } from '#core/theme/color-scheme.ts'
import { createTheme } from '#kit/antd/theme.ts'
import { split } from './antd-styles.ts'
import { withVariables } from './placed-variables.ts'
import { load, variablesOf } from './theme-variables.ts'

const SHEET = load.resolve('antd/dist/antd.css')
const { createCache, extractStyle, StyleProvider } = load('@ant-design/cssinjs') as Cssinjs

/** Components that render without props and are closed initially. */
const PLAIN = [
  antd.Alert,
  antd.AutoComplete,
  antd.Avatar,
  antd.Badge,
  antd.Button,
  antd.Card,
  antd.Checkbox,
  antd.DatePicker,
  antd.Descriptions,
  antd.Divider,
  antd.Drawer,
  antd.Empty,
  antd.Flex,
  antd.Image,
  antd.Input,
  antd.InputNumber,
  antd.Modal,
  antd.Progress,
  antd.Result,
  antd.Select,
  antd.Skeleton,
  antd.Spin,
  antd.Switch,
  antd.Tabs,
  antd.Tag,
  antd.TreeSelect,
] as unknown as FunctionComponent[]

interface Cssinjs {
  createCache(): object
  extractStyle(cache: object, options: { plain: boolean; types: readonly string[] }): string
  readonly StyleProvider: FunctionComponent<{ cache: object }>
}

test('the build puts a CSS variable and its dependencies into its only style sheet, or into the shared one', () => {
  const pieces = new Map([
    ['btn', '.ant-btn{color:var(--ant-one);margin:var(--ant-both)}'],
    ['table', '.ant-table{margin:var(--ant-both)}'],
    ['shared', ''],
  ])
  const light = new Map([
    ['--ant-one', 'var(--ant-inner)'],
    ['--ant-inner', 'red'],
    ['--ant-both', '1px'],
    ['--ant-own', '2px'],
    ['--ant-unused', '3px'],
  ])
  const dark = new Map(light).set('--ant-inner', 'blue')
  const placed = withVariables(pieces, 'p{margin:var(--ant-own)}', { light, dark, shared: 'shared' })
  expect(Object.fromEntries(placed)).toEqual({
    btn: `:root{--ant-one:var(--ant-inner);--ant-inner:red;}:root[data-theme="dark"]{--ant-inner:blue;}${pieces.get('btn')}`,
    table: pieces.get('table'),
    shared: ':root{--ant-both:1px;--ant-own:2px;}',
  })
})

test.each<ColorScheme>(['light', 'dark'])(
  'the style sheets of the %s theme define every variable that antd writes at run time, with the same value',
  (shade) => {
    const written = atRunTime(shade)
    const ours = variablesOf(shade)
    expect(written.size).toBeGreaterThan(500)
    const resolve = (value = ''): string =>
      value.replace(/^var\((--ant-color-primary[\w-]*)\)$/, (_, name) => resolve(ours.get(name)))
    expect(Object.fromEntries([...written].map(([name]) => [name, resolve(ours.get(name))]))).toEqual(
      Object.fromEntries(written),
    )
  },
)

test('colours that equal the accent follow another accent, and information keeps its colour', () => {
  const light = variablesOf('light')
  expect(light.get('--ant-tabs-ink-bar-color')).toBe('var(--ant-color-primary)')
  expect(light.get('--ant-color-link')).toBe('var(--ant-color-primary)')
  expect(light.get('--ant-control-item-bg-active')).toBe('var(--ant-color-primary-bg)')
  expect(light.get('--ant-color-info')).toBe('#155eef')
})

test("tags on light backgrounds have the theme's colours, not antd's derived colours", () => {
  expect(variablesOf('light').get('--ant-green-7')).toBe('#237804')
  expect(variablesOf('light').get('--ant-volcano-7')).toBe('#ad2102')
})

test('every variable that a rule uses is defined', () => {
  const known = variablesOf('light')
  const rules = [...split(readFileSync(SHEET, 'utf8'), () => true).values()].join('')
  const defined = new Set([...rules.matchAll(/(--ant-[\w-]+):/g)].map(([, name]) => name))
  // A variable with a fallback may be undefined, because components set it inline. The listed variables are also set
  // inline, and antd does not define the width of a step's description.
  const inline =
    /^--ant-(?:modal-xs-width|col-\w*-flex|timeline-dot-\w+|splitter-bar-preview-offset|steps-description-max-width)$/
  const used = new Set([...rules.matchAll(/var\((--ant-[\w-]+)\)/g)].map(([, name = '']) => name))
  expect([...used].filter((name) => !known.has(name) && !defined.has(name) && !inline.test(name))).toEqual([])
})

/** Returns the variables of the rendered components as antd computes them in the browser. */
function atRunTime(shade: ColorScheme): ReadonlyMap<string, string> {
  const cache = createCache()
  const drawn = [
    ...PLAIN.map((Plain, at) => createElement(Plain, { key: `plain ${at}` })),
    createElement(antd.Table, { key: 1, rowSelection: {}, columns: [{ title: 'x' }] }),
    createElement(antd.Form, { key: 2 }, createElement(antd.Form.Item, { label: 'x' })),
    createElement(antd.Input.TextArea, { key: 3 }),
    createElement(antd.Input.Search, { key: 4 }),
    createElement(antd.Radio.Group, { key: 5, options: ['x'] }),
    createElement(antd.Typography.Text, { key: 6 }, 'x'),
    createElement(antd.Tree, { key: 7, treeData: [{ key: 'x', title: 'x' }] }),
    createElement(antd.Tooltip, { key: 8, title: 'x' }, createElement('i')),
    createElement(antd.Popover, { key: 9, content: 'x' }, createElement('i')),
    createElement(antd.Popconfirm, { key: 10, title: 'x' }, createElement('i')),
    createElement(antd.Dropdown, { key: 11, menu: { items: [] } }, createElement('i')),
    createElement(antd.Segmented, { key: 12, options: ['x'] }),
    createElement(antd.Steps, { key: 13, items: [{ title: 'x' }] }),
    createElement(antd.Pagination, { key: 14, total: 50 }),
    createElement(antd.Row, { key: 15 }, createElement(antd.Col)),
    createElement(antd.Timeline, { key: 16, items: [{ content: 'x' }] }),
    createElement(antd.Space, { key: 17 }, 'x'),
    createElement(antd.Menu, { key: 18, items: [{ key: 'x', label: 'x' }] }),
  ]
  const theme = { ...createTheme(shade), zeroRuntime: false }
  const page = createElement(antd.ConfigProvider, { theme }, drawn)
  renderToString(createElement(StyleProvider, { cache }, page))
  const css = extractStyle(cache, { plain: true, types: ['cssVar', 'token'] })
  return new Map([...css.matchAll(/(--ant-[\w-]+):([^;]*);/g)].map(([, name = '', value = '']) => [name, value]))
}
