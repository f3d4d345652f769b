/** A call of a tool, or its result. */
export interface ToolPart {
  readonly isResult: boolean
  readonly text: string
}

/**
 * Returns the parts of a tool turn. Voice servers report a JSON list of `{type: 'tool' | 'tool_result', text}`. Any
 * other content becomes one call with this text.
 */
export function parseToolParts(content: string): readonly ToolPart[] {
  const parsed = parsedOf(content)
  const parts = (Array.isArray(parsed) ? parsed : [parsed]).map(partOf)
  return parts.every((part) => part !== undefined) ? parts : [{ isResult: false, text: content }]
}

/** Returns the name of the called tool: the text before the arguments. Empty when the turn only has a result. */
export const parseToolName = (parts: readonly ToolPart[]) =>
  parts
    .find(({ isResult }) => !isResult)
    ?.text.split(/[({\s]/, 1)[0]
    ?.slice(0, 40) ?? ''

function parsedOf(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

function partOf(value: unknown): ToolPart | undefined {
  const { type, text } = (value ?? {}) as Record<string, unknown>
  if ((type !== 'tool' && type !== 'tool_result') || typeof text !== 'string') return undefined
  return { isResult: type === 'tool_result', text: type === 'tool_result' ? resultOf(text) : text }
}

/** Returns the text of a result, which voice servers wrap as `{"result": text}`. */
function resultOf(text: string) {
  const { result } = (parsedOf(text) ?? {}) as Record<string, unknown>
  return typeof result === 'string' ? result : text
}
