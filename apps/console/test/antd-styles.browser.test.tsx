import { createRoot, type Root } from 'react-dom/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { built, complete } from 'virtual:antd-style-sheets'
import { AntdRoot } from '#kit/antd/antd-root.tsx'
import { AntdStateGallery } from '#test/antd-states/antd-states.tsx'

/** Stops animations, because the computed style of a moving element changes. `missingRules` compares their rules. */
const STILL = '*, ::before, ::after { transition: none !important; animation: none !important; caret-color: auto }'
const PSEUDO = [undefined, '::before', '::after'] as const

let root: Root
const antd = document.head.appendChild(document.createElement('style'))

beforeAll(async () => {
  document.head.appendChild(document.createElement('style')).textContent = STILL
  use(complete)
  root = createRoot(document.body.appendChild(document.createElement('div')))
  root.render(
    <AntdRoot>
      <AntdStateGallery />
    </AntdRoot>,
  )
  const opened = () => document.querySelectorAll('.ant-drawer-open, .ant-picker-panel-container').length > 3
  await vi.waitUntil(opened, { timeout: 60_000, interval: 100 })
  for (const body of document.querySelectorAll('.states-scroll :is(.ant-table-body, .ant-table-content)'))
    body.scrollLeft = 60
})
afterAll(() => root.unmount())

const use = (css: string) => {
  antd.textContent = `@layer antd{${css}}`
}
/** Names of the properties of CSS without variables, which only matter where a property uses them. */
const PROPERTIES = Array.from(getComputedStyle(document.body)).filter((name) => !name.startsWith('--'))

/** Returns one element of each kind: elements with equal tags, classes and ancestors have equal styles. */
function elements() {
  const kinds = new Map<string, Element>()
  const nameOf = (element: Element | null) =>
    element ? `${element.tagName}.${element.getAttribute('class') ?? ''}` : ''
  for (const element of document.body.querySelectorAll('*')) {
    const parent = element.parentElement
    kinds.set([element, parent, parent?.parentElement ?? null].map(nameOf).join(' < '), element)
  }
  return [...kinds.values()]
}

type Styles = ReadonlyMap<string, readonly string[]>

/** Returns the computed style of each element and of its pseudo-elements, by element. */
function stylesOf(all: readonly Element[]): Styles {
  const found = new Map<string, readonly string[]>()
  for (const [at, element] of all.entries())
    for (const pseudo of PSEUDO) {
      const style = getComputedStyle(element, pseudo)
      const isShown = !pseudo || style.content !== 'none'
      const key = `${at} ${element.tagName}.${element.getAttribute('class')}${pseudo ?? ''}`
      found.set(key, isShown ? PROPERTIES.map((name) => style.getPropertyValue(name)) : [])
    }
  return found
}

/** Elements, and their styles with antd's complete style sheet, by theme. */
const stylesByTheme = new Map<string | undefined, { all: Element[]; wanted: Styles }>()

function completeStyles() {
  const { theme } = document.documentElement.dataset
  const known = stylesByTheme.get(theme)
  if (known) return known
  const all = elements()
  const found = { all, wanted: stylesOf(all) }
  stylesByTheme.set(theme, found)
  return found
}

/** Returns the properties of elements whose value differs between antd's complete style sheet and this one. */
function differences(css: string) {
  const { all, wanted } = completeStyles()
  use(css)
  const now = stylesOf(all)
  use(complete)
  return [...wanted].flatMap(([key, values]) => {
    const found = now.get(key) ?? []
    const changed = PROPERTIES.flatMap((name, at) =>
      values[at] === found[at] ? [] : [`${name}: ${found[at]}, complete: ${values[at]}`],
    )
    return changed.length > 0 ? [`${key} { ${changed.slice(0, 3).join('; ')} }`] : []
  })
}

/** Returns the selectors of a style sheet, with the conditions around each. */
function selectorsOf(css: string) {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  const found = new Set<string>()
  const walk = (rules: CSSRuleList, around: string) => {
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule)
        for (const selector of split(rule.selectorText.replace(PRIORITY, '$1$2')))
          found.add(`${around}${selector}{${rule.style.cssText}`)
      else if (rule instanceof CSSGroupingRule) walk(rule.cssRules, `${around}${rule.cssText.split('{')[0]}{`)
    }
  }
  walk(sheet.cssRules, '')
  return found
}
/** The build's changes of specificity: a doubled class, and a class in `:where()`. */
const PRIORITY = /(\.ant-[\w-]+)\1(?![\w-])|:where\((\.ant-popconfirm)\)/g
/** Splits a list of selectors outside of brackets. */
const split = (list: string) => list.split(/,\s*(?![^()]*\))/)

/**
 * Returns the rules of antd's complete style sheet that a style sheet lacks, except the `:root` blocks, which the build
 * splits.
 */
function missingRules(css: string) {
  const present = selectorsOf(css)
  return [...selectorsOf(complete)].filter((rule) => !present.has(rule) && !rule.startsWith(':root'))
}

const BUILT = built.forward.join('\n')

test.each([
  ['light', 'forward'],
  ['light', 'backward'],
  ['dark', 'forward'],
] as const)(
  'all antd states look the same with split style sheets in the %s theme, loaded in %s order',
  (theme, order) => {
    document.documentElement.dataset['theme'] = theme
    expect(elements().length).toBeGreaterThan(500)
    expect(differences(built[order].join('\n'))).toEqual([])
  },
)

test('the split style sheets contain every rule of the complete one', () => {
  expect(missingRules(BUILT)).toEqual([])
})

/** Parts of the selectors of rules that the console needs. */
const NEEDED = [
  '.ant-table-cell-fix',
  '.ant-select-status-error',
  '.ant-input-number-disabled',
  '.ant-picker-dropdown',
  '.ant-btn-sm',
  '.ant-select-dropdown',
]

test.each(NEEDED)('the comparison reports missing rules for %s', (part) => {
  const css = withoutRules(BUILT, part)
  expect(differences(css)).not.toEqual([])
  expect(missingRules(css)).not.toEqual([])
})

/** Removes the rules whose selector contains a text. */
function withoutRules(css: string, part: string) {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  return [...sheet.cssRules]
    .filter((rule) => !(rule instanceof CSSStyleRule && rule.selectorText.includes(part)))
    .map(({ cssText }) => cssText)
    .join('\n')
}
