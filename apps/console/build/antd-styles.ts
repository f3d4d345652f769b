import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'

// What frame, home and simple forms show. Everything else comes with the first page that is not home.
const SHELL = new Set(
  `alert app avatar badge breadcrumb btn card checkbox descriptions divider drawer dropdown empty fade flex form
  input menu message modal motion move notification otp row col result segmented skeleton slide space spin
  tag tooltip typography wave zoom statistic css border popconfirm popover`.split(/\s+/),
)
/** Whole components of antd that are never used here; a test holds it against what is imported. */
export const UNUSED: ReadonlySet<string> = new Set(
  `affix anchor calendar carousel cascader collapse color float layout listy masonry mentions otp qrcode
  ribbon slider splitter tour transfer upload watermark`.split(/\s+/),
)
// Of used components: writing from right to left, the grid by numbers, buttons in colours of the palette.
const NEVER =
  /-rtl\b|dir="?rtl|\.ant-col-(?:[a-z]+-)?\d|\.ant-col-(?:[a-z]+-)?(?:push|pull|offset|order)-|\.ant-btn-color-(?!default|primary|dangerous|link)/

const IDS = { shell: 'virtual:antd-shell.css', rest: 'virtual:antd-rest.css' } as const

/**
 * Serves antd's published style sheet in two parts, so that no rule is computed in the browser and the first
 * screen waits only for what it shows. Its per-theme variables are left out: they are set at run time.
 */
export function antdStyles(): Plugin {
  const path = createRequire(import.meta.url).resolve('antd/dist/antd.css')
  return {
    name: 'antd-styles',
    resolveId: (id) => (id === IDS.shell || id === IDS.rest ? `\0${id}` : undefined),
    load(id) {
      if (id !== `\0${IDS.shell}` && id !== `\0${IDS.rest}`) return undefined
      const parts = split(readFileSync(path, 'utf8'))
      return { code: id === `\0${IDS.shell}` ? parts.shell : parts.rest, moduleType: 'css' }
    },
  }
}

/** Exported for its test. */
export function split(css: string) {
  const parts = { shell: '', rest: '' }
  const animations: string[] = []
  for (const rule of topLevelRules(css)) {
    if (rule.startsWith('@keyframes')) animations.push(rule)
    else if (!isThemeVariables(rule)) put(withoutUnused(rule))
  }
  for (const rule of animations) {
    const name = rule.slice('@keyframes'.length, rule.indexOf('{')).trim()
    parts[parts.shell.includes(name) ? 'shell' : 'rest'] += rule
  }
  return parts

  function put(rule: string) {
    if (!rule) return
    const component = /\.ant-([a-z]+)/.exec(rule)?.[1]
    if (!component || SHELL.has(component)) parts.shell += rule
    else if (!UNUSED.has(component)) parts.rest += rule
  }
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
