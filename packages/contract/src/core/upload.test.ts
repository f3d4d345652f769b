import { describe, expect, test } from 'vitest'
import {
  findFileCountProblem,
  listChoosableExtensions,
  readFileExtension,
  UPLOAD,
  UPLOAD_MESSAGES,
  findUploadProblem,
  formatTypeError,
} from './upload.ts'

const MIB = 1024 * 1024

describe('an invalid upload is refused with the message of the specification', () => {
  test('UPLOAD-01 a file type that is not allowed is refused', () => {
    expect(findUploadProblem(UPLOAD.file, { name: 'a.exe', size: 1 })).toBe(
      '文件格式不正确，请上传doc/docx/xls/xlsx/ppt/pptx/txt/pdf格式文件!',
    )
    for (const extension of UPLOAD.file.extensions)
      expect(findUploadProblem(UPLOAD.file, { name: `说明.${extension.toUpperCase()}`, size: 1 })).toBeUndefined()
  })

  test('UPLOAD-02 a comma in the file name is refused', () => {
    expect(findUploadProblem(UPLOAD.file, { name: 'a,b.pdf', size: 1 })).toBe('文件名不正确，不能包含英文逗号!')
    expect(findUploadProblem(UPLOAD.file, { name: 'a，b.pdf', size: 1 })).toBeUndefined()
  })

  test('UPLOAD-03 a file that is too large and a list with too many files are refused', () => {
    expect(findUploadProblem(UPLOAD.file, { name: 'a.pdf', size: 5 * MIB })).toBe('上传文件大小不能超过 5 MB!')
    expect(findUploadProblem(UPLOAD.file, { name: 'a.pdf', size: 5 * MIB - 1 })).toBeUndefined()
    expect(findFileCountProblem(UPLOAD.file, 6)).toBe('上传文件数量不能超过 5 个!')
    expect(findFileCountProblem(UPLOAD.file, 5)).toBeUndefined()
  })

  test('UPLOAD-04 a picture of a wrong type, name or size is refused', () => {
    expect(formatTypeError(UPLOAD.image)).toBe('文件格式不正确，请上传png/jpg/jpeg格式文件!')
    expect(findUploadProblem(UPLOAD.image, { name: 'a,b.png', size: 1 })).toBe('文件名不正确，不能包含英文逗号!')
    expect(findUploadProblem(UPLOAD.image, { name: 'a.png', size: 6 * MIB })).toBe('上传文件大小不能超过 5 MB!')
  })

  test('a picture format of phones that no rule accepts is refused with the advice to convert the picture', () => {
    for (const name of ['IMG_1.HEIC', 'a.heif'])
      expect(findUploadProblem(UPLOAD.avatar, { name, size: 1 })).toBe(UPLOAD_MESSAGES.heic)
    expect(findUploadProblem(UPLOAD.image, { name: 'a.webp', size: 1 })).toBe(UPLOAD_MESSAGES.webp)
    expect(findUploadProblem(UPLOAD.adImage, { name: 'a.webp', size: 1 })).toBeUndefined()
    expect(findUploadProblem(UPLOAD.file, { name: 'a.heic', size: 1 })).toBe(formatTypeError(UPLOAD.file))
  })

  test('a .log file is accepted as a text file, and a .jfif file as a JPEG picture', () => {
    expect(findUploadProblem(UPLOAD.file, { name: 'device.LOG', size: 1 })).toBeUndefined()
    expect(findUploadProblem(UPLOAD.image, { name: 'a.jfif', size: 1 })).toBeUndefined()
    expect(findUploadProblem(UPLOAD.image, { name: 'device.log', size: 1 })).toBe(formatTypeError(UPLOAD.image))
    expect(listChoosableExtensions(UPLOAD.image.extensions)).toEqual(['png', 'jpg', 'jpeg', 'jfif'])
  })

  test('avatars and components have their own error messages', () => {
    expect(findUploadProblem(UPLOAD.avatar, { name: 'a.gif', size: 1 })).toBe('上传头像图片只能是 JPG,JEPG,PNG 格式!')
    expect(findUploadProblem(UPLOAD.avatar, { name: 'a.png', size: 2 * MIB })).toBe('上传头像图片大小不能超过 2MB!')
    expect(findUploadProblem(UPLOAD.component, { name: 'fw.bin', size: 300 * MIB })).toBeUndefined()
    expect(findUploadProblem(UPLOAD.component, { name: 'fw.bin', size: 300 * MIB + 1 })).toBe(
      '组件不可超过300mb,请重新选择上传',
    )
  })

  test('a file name of 200 bytes in any script is accepted, and 201 bytes are refused', () => {
    expect(findUploadProblem(UPLOAD.file, { name: `${'文'.repeat(65)}a.pdf`, size: 1 })).toBeUndefined()
    expect(findUploadProblem(UPLOAD.file, { name: `${'文'.repeat(65)}ab.pdf`, size: 1 })).toBe(
      '文件名过长，请修改后重新上传!',
    )
    expect(findUploadProblem(UPLOAD.file, { name: `${'😀'.repeat(49)}.pdf`, size: 1 })).toBeUndefined()
    expect(findUploadProblem(UPLOAD.file, { name: `${'😀'.repeat(50)}.pdf`, size: 1 })).toBeDefined()
  })

  test('an empty file is refused', () =>
    expect(findUploadProblem(UPLOAD.file, { name: 'a.pdf', size: 0 })).toBe('文件内容为空，请重新选择!'))
})

test('the extension of a file is the text after the last dot', () => {
  expect(readFileExtension('a.tar.GZ')).toBe('gz')
  expect(readFileExtension('Makefile')).toBe('')
  expect(readFileExtension('a.b/c')).toBe('')
})
