import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import { withVariables } from './placed-variables.ts'
import { variablesOf } from './theme-variables.ts'

/** Components whose folder name differs from their class prefix, or whose rules several folders need. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  btn: ['button'],
  row: ['grid'],
  col: ['grid'],
  color: ['color-picker'],
  float: ['float-button'],
  otp: ['input'],
  ribbon: ['badge'],
  picker: ['date-picker'],
  pickerpanel: ['date-picker'],
  inputnumber: ['input-number'],
  tree: ['tree', 'tree-select'],
  select: ['select', 'tree-select'],
}
/** Classes of the calendar popup, which renders later than the closed date field. */
const PICKER_PANEL =
  /\.ant-picker-(?:dropdown|panel|cell|header|content|body|footer|ranges|presets|range-arrow|(?:time|date|week|month|quarter|year|decade)-panel)/
/** The number field is a component of its own, although its class begins with the prefix of inputs. */
const INPUT_NUMBER = /^\.ant-input-number\b/
/** Reset of all elements of date fields. The calendar popup has rules of the same specificity, which must win. */
const PICKER_RESET = /^\.ant-picker-css-var \[class/
/**
 * Two rules with the specificity of a rule of another component. Pages load the style sheets of components in any
 * order. The first rule gets a higher specificity and the second a lower one, so that the priorities of antd's sheet
 * stay.
 */
const WINNER = /^\.ant-tree-select-dropdown(?=\s*\{)/
const LOSER = /^\.ant-popconfirm(?=\s*\{)/
const withPriority = (rule: string) => rule.replace(WINNER, '$&$&').replace(LOSER, ':where($&)')

/** Rules without an importable component: animations, icons, resets. */
export const SHARED = 'shared'

/** Folders whose style hook every build must meet; without it their rules would be missing. */
const ALWAYS = ['button', 'form', 'input', 'modal', 'select', 'table']

const SRC = join(import.meta.dirname, '../../src')
/** antd's published style sheet. */
export const ANTD_SHEET = createRequire(import.meta.url).resolve('antd/dist/antd.css')
const ID = /^virtual:antd\/([a-z]+)\.css$/
const STYLE_HOOK = /[\\/]antd[\\/]es[\\/]([a-z-]+)[\\/]style[\\/]index\.js$/

/**
 * Splits antd's published style sheet by component, so that the browser computes no styles. In a build each component
 * imports its own rules, which load with its chunk; `virtual:antd/shared.css` contains the remaining rules. Each
 * style sheet includes the variables of both themes that it uses. During development the shared style sheet contains
 * all rules, and antd writes its variables again at run time.
 */
export function antdStyles(): Plugin {
  let hasFolder = isComponent
  let made: ReadonlyMap<string, string> | undefined
  let isBuild = false
  const placed = new Set<string>()
  const pieces = () => {
    made ??= piecesOf(hasFolder)
    return made
  }
  return {
    name: 'antd-styles',
    configResolved({ command }) {
      isBuild = command === 'build'
      if (!isBuild) hasFolder = () => false
    },
    resolveId: (id) => (ID.test(id) ? `\0${id}` : undefined),
    load(id) {
      const [, piece = ''] = ID.exec(id.replace('\0', '')) ?? []
      // Uses a cascade layer: the style sheets load in any order, and the console's own rules must have priority.
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
        if (imports.length > 0) placed.add(folder)
        return imports.length ? { code: `${imports.join('\n')}\n${code}`, map: null } : null
      },
    },
    buildEnd(error) {
      const missing = isBuild && !error ? ALWAYS.filter((folder) => !placed.has(folder)) : []
      if (missing.length > 0) this.error(`components of antd without their style sheet: ${missing.join(', ')}`)
    },
  }
}

const isComponent = (folder: string) => existsSync(join(dirname(ANTD_SHEET), '../es', folder, 'style/index.js'))

const piecesOf = (hasFolder: typeof isComponent) =>
  withVariables(split(readFileSync(ANTD_SHEET, 'utf8'), hasFolder), ownTexts(), {
    light: variablesOf('light'),
    dark: variablesOf('dark'),
    shared: SHARED,
  })

/** Returns the style sheets of a build by component. */
export const builtPieces = () => piecesOf(isComponent)

/** All source texts of the console, because style sheets and components refer to antd's variables. */
const ownTexts = () =>
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:css|tsx?)$/.test(file))
    .map((file) => readFileSync(join(SRC, file), 'utf8'))
    .join('\n')

const foldersOf = (component: string) => FOLDERS[component] ?? [component]

/** Returns the rules by component. Exported for its test. */
export function split(css: string, hasFolder: (folder: string) => boolean): ReadonlyMap<string, string> {
  const pieces = new Map<string, string>()
  const animations: string[] = []
  const add = (piece: string, rule: string) => pieces.set(piece, (pieces.get(piece) ?? '') + rule)
  for (const rule of topLevelRules(css)) {
    if (rule.startsWith('@keyframes')) animations.push(rule)
    else if (!isThemeVariables(rule)) put(withPriority(rule))
  }
  for (const rule of animations) {
    const name = rule.slice('@keyframes'.length, rule.indexOf('{')).trim()
    const users = [...pieces].flatMap(([piece, rules]) => (rules.includes(name) ? [piece] : []))
    add(users.length === 1 ? (users[0] ?? SHARED) : SHARED, rule)
  }
  return pieces

  function put(rule: string) {
    const component = componentOf(rule)
    add(foldersOf(component).some(hasFolder) ? component : SHARED, rule)
  }
}

function componentOf(rule: string) {
  if (PICKER_RESET.test(rule)) return SHARED
  const component = /\.ant-([a-z]+)/.exec(rule)?.[1] ?? SHARED
  if (component === 'input' && INPUT_NUMBER.test(rule)) return 'inputnumber'
  return component === 'picker' && PICKER_PANEL.test(rule) ? 'pickerpanel' : component
}

// Rules of the demo themes in the published style sheet, and antd's cache marker.
export const isThemeVariables = (rule: string) => /^\.(css-var-_R_|data-ant-cssinjs)/.test(rule)

export function topLevelRules(css: string) {
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
