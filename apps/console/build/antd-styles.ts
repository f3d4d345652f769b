import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import { withVariables } from './placed-variables.ts'
import { variablesOf } from './theme-variables.ts'

/** Whole components of antd that are never used here; a test holds it against what is imported. */
export const UNUSED: ReadonlySet<string> = new Set(
  `affix anchor calendar carousel cascader collapse color float layout listy masonry mentions otp qrcode
  ribbon slider splitter tour transfer upload watermark`.split(/\s+/),
)
/** Of used components, what is never asked of them; a test holds some of it against what the console writes. */
const NEVER = new RegExp(
  [
    '-rtl\\b|dir="?rtl',
    '\\.ant-col-(?:[a-z]+-)?(?:\\d|(?:push|pull|offset|order)-)',
    '\\.ant-btn-color-(?!default|primary|dangerous|link)',
    // Fields are outlined, and wrong or not: no other look but that of the search, no mere warning.
    '\\.ant-(?:input|input-[a-z-]+|select|picker)-(?:filled|underlined|status-warning)\\b',
    '\\.ant-(?:input-[a-z-]+|select|picker)-borderless\\b',
    '\\.ant-table-(?:bordered|summary)\\b',
    '\\.ant-picker-(?:calendar|multiple)\\b',
  ].join('|'),
)

/** Components whose folder has another name than their classes, or whose rules more than one folder needs. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  btn: ['button'],
  row: ['grid'],
  col: ['grid'],
  picker: ['date-picker'],
  pickerpanel: ['date-picker'],
  inputnumber: ['input-number'],
  tree: ['tree', 'tree-select'],
  select: ['select', 'tree-select'],
}
/** What opens below a date field; the closed field is drawn long before. */
const PICKER_PANEL =
  /\.ant-picker-(?:dropdown|panel|cell|header|content|body|footer|ranges|presets|range-arrow|(?:time|date|week|month|quarter|year|decade)-panel)/
/** By name a kind of input, but a component of its own. */
const INPUT_NUMBER = /^\.ant-input-number\b/
/** What belongs to no component that can be imported: animations, drawings, resets. */
const SHARED = 'shared'

const SRC = join(import.meta.dirname, '../src')
const ID = /^virtual:antd\/([a-z]+)\.css$/
const STYLE_HOOK = /[\\/]antd[\\/]es[\\/]([a-z-]+)[\\/]style[\\/]index\.js$/

/**
 * Serves antd's published style sheet in pieces, so that no rule is computed in the browser: in a build each component
 * imports its own rules, which so arrive with the chunk that holds it, and `virtual:antd/shared.css` has the rest.
 * Each comes with the variables of both themes it uses. While developing, the shared one has all, and antd writes its
 * own variables once more at run time.
 */
export function antdStyles(): Plugin {
  const sheet = createRequire(import.meta.url).resolve('antd/dist/antd.css')
  const components = join(dirname(sheet), '../es')
  let hasFolder = (folder: string) => existsSync(join(components, folder, 'style/index.js'))
  let made: ReadonlyMap<string, string> | undefined
  const pieces = () => {
    made ??= withVariables(split(readFileSync(sheet, 'utf8'), hasFolder), ownTexts(), {
      light: variablesOf('light'),
      dark: variablesOf('dark'),
      shared: SHARED,
    })
    return made
  }
  return {
    name: 'antd-styles',
    configResolved({ command }) {
      if (command === 'serve') hasFolder = () => false
    },
    resolveId: (id) => (ID.test(id) ? `\0${id}` : undefined),
    load(id) {
      const [, piece = ''] = ID.exec(id.replace('\0', '')) ?? []
      // In a layer, as they arrive at any time: the console's own rules stand above them, whichever come first.
      return piece
        ? { code: `@layer base,antd;@layer antd{${pieces().get(piece) ?? ''}}`, moduleType: 'css' }
        : undefined
    },
    transform: {
      filter: { id: STYLE_HOOK },
      handler(code, id) {
        const [, folder = ''] = STYLE_HOOK.exec(id) ?? []
        const imports = [...pieces().keys()]
          .filter((piece) => piece !== SHARED && foldersOf(piece).includes(folder))
          .map((piece) => `import 'virtual:antd/${piece}.css'`)
        return imports.length ? { code: `${imports.join('\n')}\n${code}`, map: null } : null
      },
    },
  }
}

/** All of the console's own sources: style sheets and components name variables of antd. */
const ownTexts = () =>
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:css|tsx?)$/.test(file))
    .map((file) => readFileSync(join(SRC, file), 'utf8'))
    .join('\n')

const foldersOf = (component: string) => FOLDERS[component] ?? [component]

/** The rules by component. Exported for its test. */
export function split(css: string, hasFolder: (folder: string) => boolean): ReadonlyMap<string, string> {
  const pieces = new Map<string, string>()
  const animations: string[] = []
  const add = (piece: string, rule: string) => pieces.set(piece, (pieces.get(piece) ?? '') + rule)
  for (const rule of topLevelRules(css)) {
    if (rule.startsWith('@keyframes')) animations.push(rule)
    else if (!isThemeVariables(rule)) put(withoutUnused(rule))
  }
  for (const rule of animations) {
    const name = rule.slice('@keyframes'.length, rule.indexOf('{')).trim()
    const users = [...pieces].flatMap(([piece, rules]) => (rules.includes(name) ? [piece] : []))
    add(users.length === 1 ? (users[0] ?? SHARED) : SHARED, rule)
  }
  return pieces

  function put(rule: string) {
    const component = componentOf(rule)
    if (rule && !UNUSED.has(component)) add(foldersOf(component).some(hasFolder) ? component : SHARED, rule)
  }
}

function componentOf(rule: string) {
  const component = /\.ant-([a-z]+)/.exec(rule)?.[1] ?? SHARED
  if (component === 'input' && INPUT_NUMBER.test(rule)) return 'inputnumber'
  return component === 'picker' && PICKER_PANEL.test(rule) ? 'pickerpanel' : component
}

// Rules of the demo themes the sheet was extracted with, and its cache marker.
const isThemeVariables = (rule: string) => /^\.(css-var-_R_|data-ant-cssinjs)/.test(rule)

/** Media queries and the like lose the rules in them that nothing matches; what is left empty is dropped. */
function withoutUnused(rule: string): string {
  const open = rule.indexOf('{')
  const head = rule.slice(0, open)
  if (head.startsWith('@media') || head.startsWith('@supports')) {
    const kept = topLevelRules(rule.slice(open + 1, -1))
      .map(withoutUnused)
      .join('')
    return kept && `${head}{${kept}}`
  }
  const selectors = selectorsOf(head).filter((selector) => !NEVER.test(selector))
  return selectors.length ? `${selectors.join(',')}${rule.slice(open)}` : ''
}

/** Commas inside `:where(…)` and the like part nothing. */
function selectorsOf(head: string) {
  const selectors: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= head.length; at++) {
    if (head[at] === '(') depth++
    else if (head[at] === ')') depth--
    else if (at === head.length || (head[at] === ',' && depth === 0)) {
      selectors.push(head.slice(start, at).trim())
      start = at + 1
    }
  }
  return selectors
}

function topLevelRules(css: string) {
  const rules: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < css.length; at++) {
    if (css[at] === '{') depth++
    else if (css[at] === '}' && --depth === 0) {
      rules.push(css.slice(start, at + 1).trim())
      start = at + 1
    }
  }
  return rules
}
