import type { Plugin } from 'vite'

const STYLE_FILE = /[\\/]antd[\\/]es[\\/].+[\\/]style[\\/][\w-]+\.js$/
const MAKERS = new Set(['genStyleHooks', 'genSubStyleComponent', 'genComponentStyleHook'])

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}
interface Call extends Node {
  readonly callee: { readonly name?: string }
  readonly arguments: readonly Node[]
}

/**
 * Leaves the functions that compute antd's rules out of the bundle: with `zeroRuntime` they are never called, the
 * rules come from its style sheet. What fills the CSS variables stays. About a third of antd's code goes.
 */
export function withoutRuntimeStyles(): Plugin {
  return {
    name: 'without-runtime-styles',
    apply: 'build',
    transform: {
      filter: { id: STYLE_FILE },
      handler(code) {
        const cuts: Node[] = []
        walk(this.parse(code), (node) => {
          const call = node as Call
          const style = call.arguments?.[1]
          if (call.type === 'CallExpression' && MAKERS.has(call.callee.name ?? '') && style) cuts.push(style)
        })
        if (!cuts.length) return null
        const kept = cuts
          .sort((a, b) => b.start - a.start)
          .reduce((text, { start, end }) => `${text.slice(0, start)}() => []${text.slice(end)}`, code)
        return { code: kept, map: null, moduleSideEffects: false }
      },
    },
  }
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
