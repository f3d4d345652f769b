/** An enabled version, or a draft as if it were: the edge from every version in its range to itself. */
export interface Edge {
  readonly verCode: number
  readonly oldVerMin: number | null
  readonly oldVerMax: number | null
}
/** Devices that run one version; null: they never said which. */
export interface Running {
  readonly verCode: number | null
  readonly count: number
}
export interface Interval {
  readonly from: number
  readonly to: number
}
/** Numbers more than one version takes: the highest gets them. */
export interface Overlap extends Interval {
  readonly winner: number
  readonly others: readonly number[]
}
export interface Route extends Running {
  /** What a device goes through, in order. */
  readonly path: readonly number[]
  /** It ends below the newest version. */
  readonly isStranded: boolean
}
export interface RangeGraph {
  /** The highest enabled version; null: there is none. */
  readonly newest: number | null
  readonly routes: readonly Route[]
  /** Numbers between the oldest and the newest that no version takes. */
  readonly gaps: readonly (Interval & { readonly devices: number })[]
  readonly overlaps: readonly Overlap[]
  /** Versions no device will ever be offered, whatever it runs: higher ones take all they could. */
  readonly useless: readonly number[]
}

/** Does the version take a device that runs this one? The same question as the poll's. */
export const takes = ({ verCode, oldVerMin, oldVerMax }: Edge, running: number | null): boolean =>
  running === null
    ? oldVerMin === null && oldVerMax === null
    : verCode > running && (oldVerMin ?? 0) <= running && running <= (oldVerMax ?? Number.MAX_SAFE_INTEGER)

/**
 * Which way every version in the field goes to the newest one. A device always gets the highest version that takes it, so
 * each has one way, and a version that takes too many can lead into a dead end.
 */
export function rangeGraph(enabled: readonly Edge[], running: readonly Running[]): RangeGraph {
  const edges = [...enabled].sort((a, b) => b.verCode - a.verCode)
  const newest = edges[0]?.verCode ?? null
  const known = new Map<number | null, readonly number[]>()
  const routes = running.map(({ verCode, count }) => {
    const path = pathFrom(edges, verCode, known)
    return { verCode, count, path, isStranded: (path.at(-1) ?? verCode ?? -1) < (newest ?? -1) }
  })
  const pieces = piecesOf(edges, running)
  return {
    newest,
    routes: routes.sort((a, b) => (a.verCode ?? -1) - (b.verCode ?? -1)),
    gaps: pieces.flatMap(({ from, to, taken }) =>
      taken.length === 0 ? [{ from, to, devices: devicesIn(running, from, to) }] : [],
    ),
    overlaps: pieces.flatMap(({ from, to, taken: [winner, ...others] }) =>
      winner !== undefined && others.length > 0 ? [{ from, to, winner, others }] : [],
    ),
    useless: uselessOf(edges),
  }
}

/** Walks up; the rest of a way is the same for all who come by, so each version is looked at once. */
function pathFrom(edges: readonly Edge[], start: number | null, known: Map<number | null, readonly number[]>) {
  const steps: (number | null)[] = []
  let at = start
  while (!known.has(at)) {
    steps.push(at)
    const next = edges.find((edge) => takes(edge, at))
    if (!next) {
      known.set(at, [])
      steps.pop()
      break
    }
    at = next.verCode
  }
  for (const step of steps.reverse()) {
    const next = at as number
    known.set(step, [next, ...(known.get(next) ?? [])])
    at = step
  }
  return known.get(start) ?? []
}

interface Piece extends Interval {
  /** Highest first. */
  readonly taken: readonly number[]
}

/** The line of numbers below the newest version, cut wherever a range begins or ends; like neighbours are one piece. */
function piecesOf(edges: readonly Edge[], running: readonly Running[]): Piece[] {
  const newest = edges[0]?.verCode
  if (newest === undefined) return []
  const numbers = [...edges.map(({ verCode }) => verCode), ...running.flatMap(({ verCode }) => verCode ?? [])]
  const lowest = Math.min(...numbers)
  const starts = new Set([lowest])
  for (const { verCode, oldVerMin, oldVerMax } of edges)
    for (const cut of [oldVerMin ?? 0, (oldVerMax ?? verCode - 1) + 1, verCode])
      if (cut > lowest && cut < newest) starts.add(cut)
  const cuts = [...starts].filter((cut) => cut < newest).sort((a, b) => a - b)
  const pieces: Piece[] = []
  for (const [place, from] of cuts.entries()) {
    const piece = { from, to: (cuts[place + 1] ?? newest) - 1, taken: takersOf(edges, from) }
    const last = pieces.at(-1)
    if (last && last.taken.join() === piece.taken.join()) pieces[pieces.length - 1] = { ...last, to: piece.to }
    else pieces.push(piece)
  }
  return pieces
}

const takersOf = (edges: readonly Edge[], running: number) =>
  edges.filter((edge) => takes(edge, running)).map(({ verCode }) => verCode)

const devicesIn = (running: readonly Running[], from: number, to: number) =>
  running.reduce(
    (sum, { verCode, count }) => (verCode !== null && verCode >= from && verCode <= to ? sum + count : sum),
    0,
  )

/** Highest first: a version is of use when some number in its range is taken by none above it. */
function uselessOf(edges: readonly Edge[]): number[] {
  const cuts = new Set(
    edges.flatMap(({ oldVerMin, oldVerMax, verCode }) => [oldVerMin ?? 0, (oldVerMax ?? verCode) + 1, verCode]),
  )
  const points: (number | null)[] = [null, ...cuts]
  const used = new Set(points.map((point) => edges.find((edge) => takes(edge, point))?.verCode))
  return edges.flatMap(({ verCode }) => (used.has(verCode) ? [] : [verCode]))
}
