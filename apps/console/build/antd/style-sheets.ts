import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import { ANTD_SHEET, builtPieces, isThemeVariables, SHARED, topLevelRules } from './antd-styles.ts'
import { variablesOf } from './theme-variables.ts'

const ID = 'virtual:antd-style-sheets'

/**
 * Provides antd's complete style sheet and the split style sheets of a build to a test. Both have the theme of the
 * console.
 */
export function styleSheets(): Plugin {
  return {
    name: 'antd-style-sheets',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load: (id) =>
      id === `\0${ID}`
        ? `export const complete = ${JSON.stringify(complete())}\nexport const built = ${JSON.stringify(built())}`
        : undefined,
  }
}

function complete() {
  const block = (selector: string, scheme: 'light' | 'dark') =>
    `${selector}{${[...variablesOf(scheme)].map(([name, value]) => `${name}:${value};`).join('')}}`
  const rules = topLevelRules(readFileSync(ANTD_SHEET, 'utf8')).filter((rule) => !isThemeVariables(rule))
  return [block(':root', 'light'), block(':root[data-theme="dark"]', 'dark'), ...rules].join('\n')
}

/** Returns the style sheets of a build in two orders: pages load them in any order after the shared one. */
function built() {
  const { [SHARED]: shared = '', ...others } = Object.fromEntries(builtPieces())
  return { forward: [shared, ...Object.values(others)], backward: [shared, ...Object.values(others).toReversed()] }
}
