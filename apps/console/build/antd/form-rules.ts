import type { Plugin } from 'vite'
import { SUPPORTED_RULE_KEYS } from '#kit/antd/small-validator.ts'

const FILE = /[\\/]apps[\\/]console[\\/]src[\\/].+\.tsx?$/
const TEST = /\.test\.tsx?$/
/** Type of a rule that is declared outside of a field. */
const RULE_TYPE = 'SupportedFormRule'
/** Function that returns rules. Its own declarations are checked. */
const RULE_FUNCTION = 'buildFieldRules'
/** Properties of components with rules. All their values are checked, so a component may pass them on. */
const PROPS = ['formRule', 'rules']

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const nodesIn = (node: Node) => Object.values(node).flat().filter(isNode)
const nameOf = (node: unknown) => (isNode(node) ? ((node['name'] ?? node['value']) as string) : undefined)

/**
 * Stops a build with a form rule that `small-validator.ts` does not know. antd's forms would run without it until
 * somebody fills in the field.
 */
export function formRules(): Plugin {
  let checked = 0
  return {
    name: 'form-rules',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: FILE },
      handler(code, id) {
        if (TEST.test(id) || !/rule/i.test(code)) return
        const found = checkRules(this.parse(code, { lang: id.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node)
        checked += found.checked
        if (found.problems.length > 0)
          this.error(`${id}: ${found.problems.join('; ')}. See SUPPORTED in src/kit/antd/small-validator.ts`)
      },
    },
    buildEnd(error) {
      if (!error && checked === 0) this.error('no form rule was found; form-rules.ts no longer recognizes them')
    },
  }
}

/** Returns the number of the rules of a file, and the rules that the build cannot accept. */
export function checkRules(program: Node) {
  const problems: string[] = []
  let checked = 0
  const declared = declarations(program)
  const refuse = (what: string) => void problems.push(`form rule without support: ${what}`)

  /** Checks an expression: a rule, a function that returns a rule, or a list of these. */
  function check(node: unknown): void {
    if (!isNode(node)) return
    const parts = PARTS[node.type]
    if (parts) for (const part of parts) for (const each of [node[part]].flat()) check(each)
    else if (node.type === 'ObjectExpression') checkObject(node)
    else if (/Function/.test(node.type)) checkReturned(node)
    else if (node.type === 'CallExpression') checkName(nameOf(node['callee']))
    else if (node.type === 'Identifier') checkName(nameOf(node))
    else if (node.type !== 'Literal') refuse(`a rule that the build cannot read (${node.type})`)
  }
  function checkName(name: string | undefined) {
    if (name === undefined || name === RULE_FUNCTION || name === 'undefined' || PROPS.includes(name)) return
    const found = declared.get(name)
    if (found) check(found)
    else refuse(`${name}, which is declared in another place; give it the type ${RULE_TYPE} in this file`)
  }
  function checkObject(node: Node) {
    checked += 1
    for (const property of node['properties'] as Node[]) {
      const key = property['computed'] ? undefined : nameOf(property['key'])
      if (key === undefined || !SUPPORTED_RULE_KEYS.includes(key as never))
        refuse(key ?? 'a computed or spread property')
    }
  }
  function checkReturned(node: Node) {
    const body = node['body'] as Node
    if (body.type !== 'BlockStatement') return check(body)
    for (const each of returnsIn(body)) check(each['argument'])
  }

  for (const node of walk(program)) check(rulesIn(node))
  return { checked, problems }
}

/** Parts of expressions that contain rules. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  ArrayExpression: ['elements'],
  SpreadElement: ['argument'],
  ConditionalExpression: ['consequent', 'alternate'],
  LogicalExpression: ['right'],
  ParenthesizedExpression: ['expression'],
  TSAsExpression: ['expression'],
  TSSatisfiesExpression: ['expression'],
  JSXExpressionContainer: ['expression'],
}

/** Returns the expression with rules that starts at this node. */
function rulesIn(node: Node): unknown {
  if (node.type === 'JSXAttribute' && PROPS.includes(nameOf(node['name']) ?? '')) return node['value']
  const value = node['value']
  if (node.type === 'Property' && nameOf(node['key']) === 'rules' && isNode(value) && value.type === 'ArrayExpression')
    return value
  if (node.type === 'VariableDeclarator' && isRuleType((node['id'] as Node)['typeAnnotation'])) return node['init']
  return isRuleType(node['returnType']) ? node : undefined
}

function isRuleType(annotation: unknown) {
  if (!isNode(annotation)) return false
  return [...walk(annotation)].some((node) => node.type === 'Identifier' && nameOf(node) === RULE_TYPE)
}

function* walk(node: Node): Generator<Node> {
  yield node
  for (const child of nodesIn(node)) yield* walk(child)
}

/** Returns the return statements of a function body, without those of inner functions. */
function returnsIn(node: Node): Node[] {
  if (node.type === 'ReturnStatement') return [node]
  return nodesIn(node).flatMap((child) => (/Function/.test(child.type) ? [] : returnsIn(child)))
}

/** Returns the variables and functions of a file by name. */
function declarations(program: Node): ReadonlyMap<string, Node> {
  const found = new Map<string, Node>()
  for (const node of walk(program)) {
    const name = nameOf(node['id'])
    if (name === undefined) continue
    if (node.type === 'VariableDeclarator' && isNode(node['init'])) found.set(name, node['init'])
    if (node.type === 'FunctionDeclaration') found.set(name, node)
  }
  return found
}
