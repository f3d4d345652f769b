import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { theme } from 'antd'
import type { ColorScheme } from '#core/theme/color-scheme.ts'
import { createTheme } from '#kit/antd/theme.ts'

/** Values of CSS variables by name (`--ant-…`). */
export type Variables = ReadonlyMap<string, string>
type Tokens = Readonly<Record<string, unknown>>

/** Declaration of a component's own variables in antd. */
interface Component {
  readonly name: string
  readonly defaults: Tokens | ((token: Tokens) => Tokens) | undefined
  readonly unitless: Readonly<Record<string, boolean>>
}
type Maker = (
  name: string | readonly string[],
  style: unknown,
  defaults?: Component['defaults'],
  options?: { unitless?: Record<string, boolean> },
) => () => readonly string[]

const antdPackage = createRequire(import.meta.url).resolve('antd/package.json')
/** Loads antd's internal style module like antd itself, because it is not exported. */
export const load = createRequire(antdPackage)
const ANTD = join(dirname(antdPackage), 'lib')
const STYLE_FILE = /^(?!config-provider)[a-z-]+[\\/]style[\\/][\w-]+\.js$/
const UTILS = '@ant-design/cssinjs-utils'
const { token2CSSVar } = load('@ant-design/cssinjs') as { token2CSSVar(key: string, prefix: string): string }

/**
 * Returns all variables that antd would write at run time for a theme. Numbers are pixels unless antd declares them
 * unitless.
 */
export function variablesOf(shade: ColorScheme): Variables {
  const token = tokensOf(shade)
  const { unitless } = load(join(ANTD, 'theme/useToken.js')) as { unitless: Component['unitless'] }
  const found = new Map<string, string>()
  const put = (key: string, value: unknown, isBare: boolean | undefined) => {
    if (typeof value !== 'string' && typeof value !== 'number') return
    found.set(token2CSSVar(key, 'ant'), typeof value === 'number' && !isBare ? `${value}px` : String(value))
  }
  for (const [key, value] of Object.entries(token)) put(key, value, unitless[key])
  for (const component of components()) {
    const { name, defaults = {} } = component
    const own = typeof defaults === 'function' ? defaults(token) : defaults
    for (const [key, value] of Object.entries(own)) {
      const bare = component.unitless[key] || unitless[key] || key === 'zIndexPopup'
      put(`${name}${key.slice(0, 1).toUpperCase()}${key.slice(1)}`, value, bare)
    }
  }
  referToAccent(found)
  return found
}

/** Variables of the accent, which an installation or a tenant replaces at run time. */
const ACCENT = ['primary', 'primary-hover', 'primary-active', 'primary-bg', 'primary-bg-hover'].map(
  (name) => `--ant-color-${name}`,
)
/** Information keeps its colour, whatever the accent is. */
const OWN_COLOUR = /^--ant-(?:color-(?:primary|info)|blue|geekblue)/

/** Replaces values that equal a colour of the accent by a reference, so that they follow another accent. */
function referToAccent(found: Map<string, string>) {
  const nameOf = new Map(ACCENT.map((name) => [found.get(name), name] as const))
  for (const [name, value] of found) {
    const base = OWN_COLOUR.test(name) ? undefined : nameOf.get(value)
    if (base) found.set(name, `var(${base})`)
  }
}

/** Returns the tokens as antd's components read them. */
export const tokensOf = (shade: ColorScheme) => theme.getDesignToken(createTheme(shade)) as unknown as Tokens

let known: readonly Component[] | undefined

/**
 * Loads antd's style files with a recording style function. antd has no API that lists the variables, and rendering
 * all components would miss those that appear only in popups.
 */
function components(): readonly Component[] {
  if (known) return known
  const noted: Component[] = []
  const bare: Record<string, Record<string, boolean>> = {}
  const note: Maker = (title, _style, defaults, options) => {
    const name = String([title].flat()[0])
    // Several antd components share one prefix and its variables, so their declarations are merged.
    const unitless = Object.assign((bare[name] ??= {}), options?.unitless)
    noted.push({ name, defaults, unitless })
    return () => []
  }
  const utils = load(UTILS) as object
  const cached = load.cache[load.resolve(UTILS)]
  const aside = Object.entries(load.cache).filter(([file]) => file.startsWith(ANTD))
  for (const [file] of aside) delete load.cache[file]
  if (!cached) throw new Error(`${UTILS} is not where antd looks for it`)
  // Other style functions only add rules to a recorded component and declare no variables.
  const pass: Maker = () => () => []
  const genStyleUtils = () => ({ genStyleHooks: note, genSubStyleComponent: pass, genComponentStyleHook: pass })
  cached.exports = { ...utils, genStyleUtils }
  for (const file of styleFiles()) {
    const { default: hook } = load(file) as { default?: unknown }
    // Some components create their styles on render.
    if (basename(file) === 'index.js' && typeof hook === 'function') hook('ant')
  }
  cached.exports = utils
  for (const file of Object.keys(load.cache)) if (file.startsWith(ANTD)) delete load.cache[file]
  for (const [file, module] of aside) load.cache[file] = module
  known = noted
  return noted
}

const styleFiles = () =>
  readdirSync(ANTD, { recursive: true, encoding: 'utf8' })
    .filter((file) => STYLE_FILE.test(file))
    .map((file) => join(ANTD, file))
