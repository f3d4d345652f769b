import { expect, test } from 'vitest'
import { replaceJob } from './job-pages.ts'

const job = (jobId: number, state: 'waiting' | 'running' | 'cancelled') => ({
  jobId,
  state,
  title: '导出',
  percent: 0,
  error: '',
  rows: null,
  file: null,
  report: null,
  createTime: '',
  finishTime: null,
})
const pages = {
  pageParams: [1],
  pages: [{ total: 3, list: [job(3, 'waiting'), job(2, 'running'), job(1, 'cancelled')] }],
}

test('a job event updates its job in the list and marks a queued job as started', () => {
  const list = replaceJob(pages, { jobId: 3, state: 'running', percent: 40 })?.pages[0]?.list
  expect(list?.map(({ state, percent }) => [state, percent])).toEqual([
    ['running', 40],
    ['running', 0],
    ['cancelled', 0],
  ])
})

test('a late event does not reopen a finished job; an event of an unknown job reloads the list', () => {
  expect(replaceJob(pages, { jobId: 1, state: 'running', percent: 90 })).toBeUndefined()
  expect(replaceJob(pages, { jobId: 9, state: 'running', percent: 90 })).toBeUndefined()
  expect(replaceJob(undefined, { jobId: 1, state: 'running', percent: 90 })).toBeUndefined()
})
