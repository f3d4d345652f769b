import { expect, test } from 'vitest'
import { findNeighbours } from './record-trail.ts'

const LIST = ['/a/1', '/a/2', '/a/3']

test('a record has the neighbours of the list from which it was opened, and none outside that list', () => {
  expect(findNeighbours('/a/2', LIST)).toEqual({ previous: '/a/1', next: '/a/3', position: 2, total: 3 })
  expect(findNeighbours('/a/1', LIST)).toEqual({ previous: undefined, next: '/a/2', position: 1, total: 3 })
  expect(findNeighbours('/b/1', LIST)).toEqual({})
})
