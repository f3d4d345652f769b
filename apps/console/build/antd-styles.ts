import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'

// What frame, home and simple forms show. Everything else comes with the first page that is not home.
const SHELL = new Set(
  `alert app avatar badge breadcrumb btn card checkbox descriptions divider drawer dropdown empty fade flex form
  input menu message modal motion move notification otp row col result segmented skeleton slide space spin
  tag tooltip typography wave zoom statistic css border popconfirm popover`.split(/\s+/),
)
// Never used here; `anchor` to `tour` are whole components of antd.
const UNUSED = new Set(
  'affix anchor carousel color float listy masonry mentions rate ribbon splitter tour watermark'.split(' '),
)

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
    else if (!isThemeVariables(rule)) put(rule)
  }
  for (const rule of animations) {
    const name = rule.slice('@keyframes'.length, rule.indexOf('{')).trim()
    parts[parts.shell.includes(name) ? 'shell' : 'rest'] += rule
  }
  return parts

  function put(rule: string) {
    const component = /\.ant-([a-z]+)/.exec(rule)?.[1]
    if (!component || SHELL.has(component)) parts.shell += rule
    else if (!UNUSED.has(component)) parts.rest += rule
  }
}

// Rules of the demo themes the sheet was extracted with, and its cache marker.
const isThemeVariables = (rule: string) => /^\.(css-var-_R_|data-ant-cssinjs)/.test(rule)

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
