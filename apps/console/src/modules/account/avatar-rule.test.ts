import { expect, test } from 'vitest'
import { checkAvatar } from './avatar-rule.ts'

test.each([
  ['a.JPG', 1024, undefined],
  ['a.jpeg', 1024, undefined],
  ['a.gif', 1024, '上传头像图片只能是 JPG,JEPG,PNG 格式!'],
  ['png', 1024, '上传头像图片只能是 JPG,JEPG,PNG 格式!'],
  ['a.png', 2 * 1024 * 1024, '上传头像图片大小不能超过 2MB!'],
])('ACCOUNT-04 the avatar check of the picture %s of %i bytes returns %s', (name, size, text) =>
  expect(checkAvatar({ name, size })).toBe(text),
)
