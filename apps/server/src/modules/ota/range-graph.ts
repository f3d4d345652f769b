/** An enabled version, or a draft treated as enabled: the edge from every version in its range to itself. */
export interface VersionRange {
  readonly verCode: number
  readonly oldVerMin: number | null
  readonly oldVerMax: number | null
}
/** Number of devices on one version; null when the devices never reported a version. */
export interface RunningVersion {
  readonly verCode: number | null
  readonly count: number
}
export interface VersionInterval {
  readonly from: number
  readonly to: number
}
/** Interval of version numbers that several versions accept. The highest version is offered. */
export interface RangeOverlap extends VersionInterval {
  readonly winner: number
  readonly others: readonly number[]
}
export interface UpgradeRoute extends RunningVersion {
  /** Versions that a device installs, in order. */
  readonly path: readonly number[]
  /** True when the path ends below the newest version. */
  readonly isStranded: boolean
}
export interface RangeGraph {
  /** The highest enabled version; null when there is none. */
  readonly newest: number | null
  readonly routes: readonly UpgradeRoute[]
  /** Intervals between the oldest and the newest version that no version accepts. */
  readonly gaps: readonly (VersionInterval & { readonly devices: number })[]
  readonly overlaps: readonly RangeOverlap[]
  /** Versions that no device is ever offered, because higher versions accept the whole range. */
  readonly useless: readonly number[]
}

/** True when the version accepts a device with this version. Same rule as the device poll. */
export const acceptsVersion = ({ verCode, oldVerMin, oldVerMax }: VersionRange, running: number | null): boolean =>
  running === null
    ? oldVerMin === null && oldVerMax === null
    : verCode > running && (oldVerMin ?? 0) <= running && running <= (oldVerMax ?? Number.MAX_SAFE_INTEGER)

/**
 * Returns the upgrade path of every version that devices run. A device always gets the highest version that accepts the
 * device, so each version has one path. A version with too wide a range can lead into a dead end.
 */
export function buildRangeGraph(enabled: readonly VersionRange[], running: readonly RunningVersion[]): RangeGraph {
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

/** Returns the path from a version. Memoises paths in `known`, so each version is visited once. */
function pathFrom(edges: readonly VersionRange[], start: number | null, known: Map<number | null, readonly number[]>) {
  const steps: (number | null)[] = []
  let at = start
  while (!known.has(at)) {
    steps.push(at)
    const next = edges.find((edge) => acceptsVersion(edge, at))
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

interface Piece extends VersionInterval {
  /** Versions that accept the interval, highest first. */
  readonly taken: readonly number[]
}

/**
 * Splits the numbers below the newest version at the ends of all ranges. Merges neighbours that the same versions
 * accept.
 */
function piecesOf(edges: readonly VersionRange[], running: readonly RunningVersion[]): Piece[] {
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

const takersOf = (edges: readonly VersionRange[], running: number) =>
  edges.filter((edge) => acceptsVersion(edge, running)).map(({ verCode }) => verCode)

const devicesIn = (running: readonly RunningVersion[], from: number, to: number) =>
  running.reduce(
    (sum, { verCode, count }) => (verCode !== null && verCode >= from && verCode <= to ? sum + count : sum),
    0,
  )

/** Returns versions whose whole range is accepted by higher versions. Visits the highest version first. */
function uselessOf(edges: readonly VersionRange[]): number[] {
  const cuts = new Set(
    edges.flatMap(({ oldVerMin, oldVerMax, verCode }) => [oldVerMin ?? 0, (oldVerMax ?? verCode) + 1, verCode]),
  )
  const points: (number | null)[] = [null, ...cuts]
  const used = new Set(points.map((point) => edges.find((edge) => acceptsVersion(edge, point))?.verCode))
  return edges.flatMap(({ verCode }) => (used.has(verCode) ? [] : [verCode]))
}
