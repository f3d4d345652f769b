import { PARAMS, type Param } from '@oms/contract/agent/parameters/param-list.ts'

/** Returns the text of a parameter's value. */
export type ParameterReader = (code: string) => string

/** Returns the value of a parameter with its JSON type. Unreadable JSON becomes an empty object. */
export function parseTypedValue({ type }: Pick<Param, 'type'>, text: string): unknown {
  if (type === 'number' || type === 'switch') return Number(text)
  if (type === 'boolean') return text === 'true'
  if (type === 'array')
    return text
      .split(';')
      .map((each) => each.trim())
      .filter((each) => each !== '')
  if (type !== 'json') return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return {}
  }
}

type Tree = { [name: string]: unknown }

/** Returns the parameters that voice servers receive. Each dot of a code opens a nested object. */
export function buildVoiceServerParams(valueOf: ParameterReader): Tree {
  const root: Tree = {}
  for (const param of PARAMS) {
    if (!param.isHandedOut) continue
    const names = param.code.split('.')
    const last = names.pop()!
    let place = root
    for (const name of names) place = (place[name] ??= {}) as Tree
    place[last] = parseTypedValue(param, valueOf(param.code))
  }
  return root
}
