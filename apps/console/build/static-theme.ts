import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import { tokensOf } from './theme-variables.ts'

const ES = join(dirname(createRequire(import.meta.url).resolve('antd/package.json')), 'es')
const STYLE_FILE = /[\\/]antd[\\/]es[\\/].+[\\/]style(?:[\\/][\w-]+)?\.js$/
/** What antd makes its styles with, and what is left of each: hooks that give no class, a component that draws nothing. */
const MAKERS: Readonly<Record<string, string>> = {
  genStyleHooks: "() => ['', '']",
  genComponentStyleHook: "() => ''",
  genSubStyleComponent: '() => null',
}

/** antd's files that only compute, and what the browser gets in their place: no rule and no variable is left to it. */
const FILES: Readonly<Record<string, string>> = {
  'theme/useToken.js': `import { useContext } from 'react'
import { DesignTokenContext } from './context'
const cssVar = { prefix: 'ant', key: '' }
export default () => {
  const { token } = useContext(DesignTokenContext)
  return [undefined, token, '', token, cssVar, true]
}`,
  'theme/context.js': `import { createContext } from 'react'
export const defaultConfig = { token: {}, hashed: false, zeroRuntime: true }
export const defaultTheme = undefined
export const DesignTokenContext = createContext(defaultConfig)`,
  'theme/util/useResetIconStyle.js': 'export default () => {}',
}
const INLINE_VARIABLES = /export const genCssVar = [^]+$/
const LOOK = join(import.meta.dirname, '../src/kit/look.ts')
const CSSINJS = '\0without-cssinjs'
const NOTHING = `
import { createContext } from 'react'
export const StyleContext = createContext({})
export const unit = (value) => (typeof value === 'number' ? value + 'px' : value)
export const createTheme = () => undefined
export class Keyframes {}
export const useStyleRegister = () => {}
export const getComputedToken = createTheme
export const genCalc = createTheme
export const mergeToken = createTheme
export const statistic = {}
export const statisticToken = createTheme`

/**
 * Leaves the machinery that computes antd's styles out of the bundle: the rules are those of its published sheet, the
 * variables of both themes stand beside them (`antd-styles.ts`), and components read the few tokens they calculate
 * with as plain values. About a third of antd's code goes, and with it what every component did at each drawing.
 */
export function staticTheme(): Plugin {
  return {
    name: 'static-theme',
    apply: 'build',
    enforce: 'pre',
    resolveId: (source) => (/^@ant-design\/cssinjs(-utils)?$/.test(source) ? CSSINJS : undefined),
    load(id) {
      if (id === CSSINJS) return NOTHING
      if (id === LOOK) return `const LOOKS = ${JSON.stringify(looks())}\nexport const themeOf = (shade) => LOOKS[shade]`
      if (id === join(ES, 'theme/util/genStyleUtils.js')) return makers()
      return id.startsWith(ES) ? FILES[id.slice(ES.length + 1).replaceAll('\\', '/')] : undefined
    },
    transform: {
      filter: { id: STYLE_FILE },
      handler(code) {
        const cuts: { start: number; end: number; left: string }[] = []
        walk(this.parse(code), (node) => {
          const { type, callee, start, end } = node as Call
          const left = type === 'CallExpression' ? MAKERS[callee.name ?? ''] : undefined
          if (left) cuts.push({ start, end, left })
        })
        const kept = cuts
          .sort((a, b) => b.start - a.start)
          .reduce((text, { start, end, left }) => `${text.slice(0, start)}(${left})${text.slice(end)}`, code)
        return { code: kept, map: null, moduleSideEffects: false }
      },
    },
  }
}

/** Some components set a variable of theirs in the page; that name is all they still ask the style files for. */
function makers() {
  const [inline = ''] = INLINE_VARIABLES.exec(readFileSync(join(ES, 'theme/util/genStyleUtils.js'), 'utf8')) ?? []
  const none = Object.entries(MAKERS).map(([name, left]) => `export const ${name} = () => ${left}`)
  return [...none, inline].join('\n')
}

/** By theme, the tokens that antd's components read outside their style files. */
function looks() {
  const texts = readdirSync(ES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !/(?:^|[\\/])(?:style|theme)[\\/]/.test(file))
    .map((file) => readFileSync(join(ES, file), 'utf8'))
    .filter((text) => text.includes('useToken'))
  const read = new Set(texts.flatMap((text) => text.match(/\b[a-z]\w+\b/g) ?? []))
  const look = (shade: 'light' | 'dark') => {
    // The widths of screens are asked for by names that are put together.
    const wanted = ([key]: readonly [string, unknown]) => read.has(key) || key.startsWith('screen')
    const token = Object.fromEntries(Object.entries(tokensOf(shade)).filter(wanted))
    return { token, zeroRuntime: true, hashed: false }
  }
  return { light: look('light'), dark: look('dark') }
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}
interface Call extends Node {
  readonly callee: { readonly name?: string }
}

function walk(node: unknown, visit: (node: Node) => void) {
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit)
    return
  }
  if ('type' in node) visit(node as Node)
  for (const child of Object.values(node)) walk(child, visit)
}
