import { match } from 'pinyin-pro'
import { expect, test } from 'vitest'
import { findMenuHits } from './menu-hits.ts'

const page = (url: string, name: string) => ({ url, name, icon: '', children: [] })
const entries = [
  page('/AfterService/Questions', '售后工单'),
  page('/AfterService/PendingList', '待办工单'),
  page('/a', '角色'),
]
const matchPinyin = (title: string, word: string) => match(title, word, { continuous: true }) !== null
const titlesOf = (text: string) => findMenuHits(entries, text, matchPinyin).map(({ title }) => title)

test('the search finds pages by synonyms of their titles', () => {
  expect(titlesOf('工单')).toEqual(['售后工单', '待办工单'])
  expect(titlesOf('报修 待')).toEqual(['待办工单'])
  expect(titlesOf('角')).toEqual(['角色'])
})

test('the search finds pages by pinyin and by initials of their titles', () => {
  expect(titlesOf('shouhou')).toEqual(['售后工单'])
  expect(titlesOf('dbgd')).toEqual(['待办工单'])
  expect(titlesOf('js')).toEqual(['角色'])
  expect(titlesOf('xyz')).toEqual([])
})
