import type { Variables } from './theme-variables.ts'

const USED = /var\((--ant-[\w-]+)/g
const usedIn = (text: string) => [...text.matchAll(USED)].map(([, name = '']) => name)

/**
 * Adds the variables of both themes to the style sheets that use them. A variable used by one style sheet is placed
 * there; a variable used by several, or by the console's `own` texts, is placed in `shared`. Unused variables are
 * dropped.
 */
export function withVariables(
  pieces: ReadonlyMap<string, string>,
  own: string,
  { light, dark, shared }: { light: Variables; dark: Variables; shared: string },
): ReadonlyMap<string, string> {
  const users = new Map<string, Set<string>>()
  const use = (name: string, piece: string) => {
    const known = users.get(name) ?? new Set()
    if (known.has(piece)) return
    users.set(name, known.add(piece))
    for (const theme of [light, dark]) for (const inner of usedIn(theme.get(name) ?? '')) use(inner, piece)
  }
  for (const [piece, rules] of pieces) for (const name of usedIn(rules)) use(name, piece)
  for (const name of usedIn(own)) use(name, shared)
  const placed = new Map<string, string[]>()
  for (const [name, [piece = shared, ...others]] of users) {
    const place = others.length > 0 ? shared : piece
    placed.set(place, [...(placed.get(place) ?? []), name])
  }
  return new Map([...pieces].map(([piece, rules]) => [piece, themed(placed.get(piece) ?? [], light, dark) + rules]))
}

/** The dark theme contains only values that differ from the light theme. */
const themed = (names: readonly string[], light: Variables, dark: Variables) =>
  block(':root', light, names) +
  block(
    ':root[data-theme="dark"]',
    dark,
    names.filter((name) => dark.get(name) !== light.get(name)),
  )

function block(selector: string, theme: Variables, names: readonly string[]) {
  const lines = names.flatMap((name) => (theme.has(name) ? [`${name}:${theme.get(name)};`] : []))
  return lines.length > 0 ? `${selector}{${lines.join('')}}` : ''
}
