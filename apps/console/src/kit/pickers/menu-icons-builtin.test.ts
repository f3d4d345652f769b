import { CATALOGUE } from '@oms/contract/catalogue.ts'
import { expect, test } from 'vitest'
import { BUILTIN_ICONS } from './menu-icons-builtin.tsx'
import { ICON_WORDS, ICONS } from './menu-icons.tsx'

const named = ['home', ...CATALOGUE.flatMap(({ icon, pages }) => [icon, ...pages.map((page) => page.icon)])]

test('every shipped menu has its own icon', () => {
  const missing = named.filter((icon) => !(icon in BUILTIN_ICONS))
  expect(missing, 'add the icon to BUILTIN_ICONS in kit/pickers/menu-icons-builtin.tsx').toEqual([])
})

test('no icon is used twice in the sidebar', () => {
  expect(named.filter((icon, at) => named.indexOf(icon) !== at)).toEqual([])
  expect(new Set(Object.values(ICONS)).size).toBe(Object.keys(ICONS).length)
})

test('every icon has a Chinese name of its own in the icon picker', () => {
  expect(Object.keys(ICON_WORDS).toSorted()).toEqual(Object.keys(ICONS).toSorted())
  expect(new Set(Object.values(ICON_WORDS)).size).toBe(Object.keys(ICONS).length)
})
