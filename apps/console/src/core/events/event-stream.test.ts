import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventParser } from './event-stream.ts'

const STREAM =
  ': hello\n\nevent: unread\ndata: {"count":12}\n\nevent: perms\r\ndata: {"version":"v2"}\r\n\r\n: beat\n\n'

test('parses events correctly at any chunk boundary', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length)), (places) => {
      const cuts = [0, ...places.sort((a, b) => a - b), STREAM.length]
      const seen: unknown[] = []
      const feed = createEventParser((name, data) => seen.push([name, data]))
      for (const [i, cut] of cuts.entries()) if (i) feed(STREAM.slice(cuts[i - 1], cut))
      expect(seen).toEqual([
        ['unread', { count: 12 }],
        ['perms', { version: 'v2' }],
      ])
    }),
  )
})
