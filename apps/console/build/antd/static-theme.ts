import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import { tokensOf } from './theme-variables.ts'

const ES = join(dirname(createRequire(import.meta.url).resolve('antd/package.json')), 'es')
const STYLE_FILE = /[\\/]antd[\\/]es[\\/].+[\\/]style(?:[\\/][\w-]+)?\.js$/
/** Replacements of antd's style functions: hooks return no class, and components render nothing. */
const MAKERS: Readonly<Record<string, string>> = {
  genStyleHooks: "() => ['', '']",
  genComponentStyleHook: "() => ''",
  genSubStyleComponent: '() => null',
}

/** antd files that only compute styles, and their replacements in the browser. */
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
const LOOK = join(import.meta.dirname, '../../src/kit/antd/theme.ts')
const CSSINJS = '\0without-cssinjs'
const STYLE_UTILS = join(ES, 'theme/util/genStyleUtils.js')
/** Everything that is replaced. An entry that no import reaches would silently stop working. */
const REPLACED = [CSSINJS, LOOK, STYLE_UTILS, ...Object.keys(FILES).map((file) => join(ES, file))]
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
 * Removes antd's CSS-in-JS from the bundle. The rules come from antd's published style sheet, the variables of both
 * themes from static files (`antd-styles.ts`), and the tokens that components read are plain values. This removes
 * about a third of antd's code and its work per render.
 */
export function staticTheme(): Plugin {
  const replaced = new Set<string>()
  let cutCalls = 0
  return {
    name: 'static-theme',
    apply: 'build',
    enforce: 'pre',
    resolveId: (source) => (/^@ant-design\/cssinjs(-utils)?$/.test(source) ? CSSINJS : undefined),
    buildStart() {
      replaced.clear()
      cutCalls = 0
    },
    load(id) {
      replaced.add(id)
      if (id === CSSINJS) return NOTHING
      if (id === LOOK)
        return `const LOOKS = ${JSON.stringify(looks())}\nexport const createTheme = (shade) => LOOKS[shade]`
      if (id === STYLE_UTILS) return makers()
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
        cutCalls += cuts.length
        const kept = cuts
          .sort((a, b) => b.start - a.start)
          .reduce((text, { start, end, left }) => `${text.slice(0, start)}(${left})${text.slice(end)}`, code)
        return { code: kept, map: null, moduleSideEffects: false }
      },
    },
    buildEnd(error) {
      if (error) return
      const missing = REPLACED.filter((file) => !replaced.has(file))
      if (missing.length > 0) this.error(`replaced files that nothing imports: ${missing.join(', ')}`)
      if (cutCalls === 0) this.error("antd's style files make their styles in another way")
    },
  }
}

/** Some components set a CSS variable inline; only the variable's name is kept from their style files. */
function makers() {
  const [inline] = INLINE_VARIABLES.exec(readFileSync(STYLE_UTILS, 'utf8')) ?? []
  if (inline === undefined) throw new Error(`${STYLE_UTILS} has no genCssVar`)
  const none = Object.entries(MAKERS).map(([name, left]) => `export const ${name} = () => ${left}`)
  return [...none, inline].join('\n')
}

/** Tokens by theme that antd's components read outside their style files. */
function looks() {
  const texts = readdirSync(ES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !/(?:^|[\\/])(?:style|theme)[\\/]/.test(file))
    .map((file) => readFileSync(join(ES, file), 'utf8'))
    .filter((text) => text.includes('useToken'))
  const read = new Set(texts.flatMap((text) => text.match(/\b[a-z]\w+\b/g) ?? []))
  const look = (shade: 'light' | 'dark') => {
    // Included as a whole: antd reads the screen widths with computed names.
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
