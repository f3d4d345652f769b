import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type VersionRange, buildRangeGraph, type RunningVersion, acceptsVersion } from './range-graph.ts'

const edge = (verCode: number, oldVerMin: number | null = null, oldVerMax: number | null = null): VersionRange => ({
  verCode,
  oldVerMin,
  oldVerMax,
})
const on = (...codes: (number | null)[]): RunningVersion[] => codes.map((verCode, at) => ({ verCode, count: at + 1 }))
const paths = (edges: VersionRange[], running: RunningVersion[]) =>
  buildRangeGraph(edges, running).routes.map(({ verCode, path, isStranded }) => [verCode, path, isStranded])

test('a chain of version ranges leads devices step by step to the newest version', () => {
  const edges = [edge(4, 3, 3), edge(2, 1, 1), edge(3, 2, 2)]
  expect(paths(edges, on(1, 2, 4))).toEqual([
    [1, [2, 3, 4], false],
    [2, [3, 4], false],
    [4, [], false],
  ])
  expect(buildRangeGraph(edges, on(1))).toMatchObject({ newest: 4, gaps: [], overlaps: [], useless: [] })
})

test('devices below every range, in a gap or at a dead end count as stranded', () => {
  const graph = buildRangeGraph([edge(20, 15, 18), edge(40, 30, 39)], on(10, 16, 35, 50))
  expect(graph.routes.map(({ verCode, isStranded }) => [verCode, isStranded])).toEqual([
    [10, true],
    [16, true],
    [35, false],
    [50, false],
  ])
  expect(graph.gaps).toEqual([
    { from: 10, to: 14, devices: 1 },
    { from: 19, to: 29, devices: 0 },
  ])
})

test('a device gets the highest version whose range contains it, even when another path avoids a dead end', () => {
  const edges = [edge(4, 2, 2), edge(3, 1, 1), edge(2, 1, 1)]
  expect(paths(edges, on(1))).toEqual([[1, [3], true]])
  const { overlaps, useless } = buildRangeGraph(edges, on(1))
  expect(overlaps).toEqual([{ from: 1, to: 1, winner: 3, others: [2] }])
  expect(useless).toEqual([2])
})

test('a device without a reported version gets only versions with an open range', () => {
  expect(paths([edge(5, 1)], on(null))).toEqual([[null, [], true]])
  expect(paths([edge(5), edge(9, 5, 5)], on(null))).toEqual([[null, [5, 9], false]])
})

test('without versions no device is stranded', () => {
  expect(buildRangeGraph([], on(1, null))).toMatchObject({ newest: null, gaps: [], overlaps: [], useless: [] })
  expect(paths([], on(1))).toEqual([[1, [], false]])
})

const LIMIT = 14
const number = fc.integer({ min: 0, max: LIMIT })
const anyEdge = fc
  .record({ verCode: number, a: fc.option(number), b: fc.option(number) })
  .map(({ verCode, a, b }) =>
    a !== null && b !== null ? edge(verCode, Math.min(a, b), Math.max(a, b)) : edge(verCode, a, b),
  )
const edgesOf = fc.uniqueArray(anyEdge, { selector: ({ verCode }) => verCode, maxLength: 8 })
const field = fc
  .uniqueArray(fc.option(number), { minLength: 1, maxLength: 8 })
  .map((codes) => codes.map((verCode) => ({ verCode, count: 7 })))

test('the upgrade graph equals a brute-force calculation for every version number', () => {
  fc.assert(
    fc.property(edgesOf, field, (edges, running) => {
      const graph = buildRangeGraph(edges, running)
      const best = (at: number | null) =>
        Math.max(-1, ...edges.filter((each) => acceptsVersion(each, at)).map(({ verCode }) => verCode))
      const newest = Math.max(-1, ...edges.map(({ verCode }) => verCode))
      for (const { verCode, path, isStranded } of graph.routes) {
        const walked: number[] = []
        for (let at = verCode, next = best(at); next >= 0; at = next, next = best(at)) walked.push(next)
        expect(path).toEqual(walked)
        expect(isStranded).toBe((walked.at(-1) ?? verCode ?? -1) < newest)
      }
      const lowest = Math.min(...[...edges, ...running].flatMap(({ verCode }) => verCode ?? []))
      const inGaps = (at: number) => graph.gaps.filter(({ from, to }) => from <= at && at <= to).length
      for (let at = lowest; at < newest; at += 1) {
        const takers = edges.filter((each) => acceptsVersion(each, at)).map(({ verCode }) => verCode)
        expect(inGaps(at)).toBe(takers.length === 0 ? 1 : 0)
        const overlap = graph.overlaps.filter(({ from, to }) => from <= at && at <= to)
        expect(overlap.map(({ winner, others }) => [winner, ...others])).toEqual(
          takers.length > 1 ? [takers.sort((a, b) => b - a)] : [],
        )
      }
      const points = [null, ...Array.from({ length: LIMIT + 2 }, (_, at) => at)]
      const winners = new Set(points.map(best))
      expect([...graph.useless].sort()).toEqual(
        edges.flatMap(({ verCode }) => (winners.has(verCode) ? [] : [verCode])).sort(),
      )
    }),
    { numRuns: 2000 },
  )
})
