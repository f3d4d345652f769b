import { analyse } from 'scslre'

/**
 * oxlint plugin. Reports every regular expression with quadratic or worse backtracking or search, because untrusted
 * input could block the process.
 */

/** Default flags of an expression. */
const NO_FLAGS = ''
const KINDS = {
  Trade: 'two repetitions can exchange characters',
  Self: 'a repetition inside a repetition can exchange characters with itself',
  Move: 'every start position is tried up to the end of the text',
}

/** Returns the first super-linear finding of an expression, or undefined. */
export function findSuperLinear(source, flags = NO_FLAGS) {
  const { reports } = analyse({ source, flags }, { maxReports: 1 })
  const [report] = reports
  return report && `${KINDS[report.type]} (repeat ${JSON.stringify(report.character.pick)})`
}

const noSuperLinear = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const check = (node, source, flags) => {
      const found = findSuperLinear(source, flags)
      if (found) context.report({ node, message: `Super-linear regular expression: ${found}.` })
    }
    const checkConstructor = (node) => {
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return
      const [pattern, flags] = node.arguments
      if (pattern?.type !== 'Literal' || (flags && flags.type !== 'Literal')) {
        const message = 'A regular expression made at run time cannot be checked: write a literal, or search by hand.'
        return context.report({ node, message })
      }
      if (typeof pattern.value === 'string') check(node, pattern.value, flags?.value)
    }
    return {
      Literal: (node) => node.regex && check(node, node.regex.pattern, node.regex.flags),
      CallExpression: checkConstructor,
      NewExpression: checkConstructor,
    }
  },
}

export default { meta: { name: 'regexp' }, rules: { 'no-super-linear': noSuperLinear } }
