import { UPLOAD, UPLOAD_MESSAGES } from '@oms/contract/core/upload.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readImageSize } from './picture.ts'
import { sanitizeFileName, checkFileType } from './file-type.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const png = (width: number, height: number) => {
  const head = Buffer.concat([hex('89504e470d0a1a0a 0000000d'), Buffer.from('IHDR'), Buffer.alloc(17)])
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head
}
const jpeg = (width: number, height: number, metadata = 0) => {
  const frame = hex('ffc0 0011 08 0000 0000 03 000000000000000000')
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  const app = hex('ffe1 0000')
  app.writeUInt16BE(metadata + 2, 2)
  return Buffer.concat([hex('ffd8'), app, Buffer.alloc(metadata), frame])
}
const zip = (...names: string[]) =>
  Buffer.concat(
    names.map((name) => {
      const header = hex('504b0304 1400 0000 0800 0000 0000 00000000 00000000 00000000 0000 0000')
      header.writeUInt16LE(name.length, 26)
      return Buffer.concat([header, Buffer.from(name)])
    }),
  )
const COMPOUND = hex('d0cf11e0a1b11ae1 0000')
const text = (value: string) => Buffer.from(value)
const refusal = '文件格式不正确，请上传doc/docx/xls/xlsx/ppt/pptx/txt/pdf格式文件!'

describe('UPLOAD-07 the content must match the file name', () => {
  test.each([
    ['a.doc', COMPOUND],
    ['a.XLS', COMPOUND],
    ['a.ppt', COMPOUND],
    ['a.docx', zip('[Content_Types].xml', 'word/document.xml')],
    ['a.xlsx', zip('_rels/.rels', 'xl/workbook.xml')],
    ['a.pptx', zip('ppt/presentation.xml')],
    ['locked.docx', COMPOUND],
    ['a.pdf', text('%PDF-1.7\n')],
    ['marked.pdf', text('\ufeff%PDF-1.7\n')],
    ['blank.pdf', text('\r\n%PDF-1.7\n')],
    ['device.log', text('\u001b[32mI (312) wifi: on\u001b[0m\r\n')],
    ['power.log', text('boot 1\n\0\0\0\0boot 2\n')],
    ['progress.txt', text('9%\b\b10%')],
    ['config.txt', text('<?xml version="1.0"?><config/>')],
    ['说明.txt', text('说明：a < b，=1+1\r\n\t第二行')],
    ['gbk.txt', hex('cbb5c3f7 0d0a')],
    ['utf16.txt', hex('fffe f48b 0e66')],
    ['cut.txt', Buffer.concat([text('说'), text('明').subarray(0, 2)])],
  ])('the content of %s matches its extension and is accepted', (name, head) =>
    expect(checkFileType(UPLOAD.file, name, head)).toMatchObject({ ok: true }),
  )

  test.each([
    ['page.txt', text('\n <!DOCTYPE html><script>alert(1)</script>')],
    ['page.pdf', text('<html>%PDF-1.7')],
    ['svg.txt', text('<svg onload=alert(1)>')],
    ['svg.log', text('<?xml version="1.0"?>\n<svg onload=alert(1)>')],
    ['elf.log', hex('7f454c46 02010100')],
    ['program.txt', hex('4d5a9000 03000000')],
    ['elf.doc', hex('7f454c46')],
    ['sheet.docx', zip('[Content_Types].xml', 'xl/workbook.xml')],
    ['jar.xlsx', zip('META-INF/MANIFEST.MF')],
    ['picture.pdf', png(1, 1)],
    ['empty.pdf', Buffer.alloc(0)],
  ])('the content of %s does not match its extension and is refused', (name, head) =>
    expect(checkFileType(UPLOAD.file, name, head)).toEqual({ ok: false, msg: '文件内容与扩展名不符，请重新选择!' }),
  )

  test.each([
    ['page.html', text('<p>')],
    ['a.svg', text('<svg/>')],
    ['a.pdf.exe', text('%PDF-')],
    ['constructor', text('x')],
  ])('the file name %s is refused because of its extension', (name, head) =>
    expect(checkFileType(UPLOAD.file, name, head)).toEqual({ ok: false, msg: refusal }),
  )

  test('type, declared size and extension of images are checked', () => {
    expect(checkFileType(UPLOAD.image, 'a.png', png(8000, 5000))).toEqual({
      ok: true,
      mime: 'image/png',
      extension: 'png',
    })
    expect(checkFileType(UPLOAD.image, 'a.png', png(8001, 5000))).toMatchObject({
      ok: false,
      msg: expect.stringContaining('像素'),
    })
    expect(checkFileType(UPLOAD.image, 'a.jpeg', jpeg(65535, 65535))).toMatchObject({ ok: false })
    expect(checkFileType(UPLOAD.image, 'a.jpg', jpeg(800, 600))).toMatchObject({ ok: true, mime: 'image/jpeg' })
    expect(checkFileType(UPLOAD.image, 'a.jpg', png(1, 1))).toMatchObject({ ok: false })
    expect(checkFileType(UPLOAD.adImage, 'text.png', text('hello'))).toEqual({
      ok: false,
      msg: '文件内容不是图片，请重新选择!',
    })
    expect(checkFileType(UPLOAD.avatar, 'a.gif', text('GIF89a'))).toEqual({
      ok: false,
      msg: '上传头像图片只能是 JPG,JEPG,PNG 格式!',
    })
  })

  test('a JPEG picture may have the extension of Windows', () => {
    const jfif = { ok: true, mime: 'image/jpeg' }
    expect(checkFileType(UPLOAD.image, 'a.JFIF', jpeg(800, 600))).toMatchObject(jfif)
    expect(checkFileType(UPLOAD.adImage, 'a.jfif', png(1, 1))).toMatchObject({ ok: false })
  })

  test.each([
    ['heic', text('\0\0\0\x18ftypheic')],
    ['heic', text('\0\0\0\x18ftypmif1')],
    ['webp', text('RIFF\0\0\0\0WEBP')],
  ] as const)('a %s picture with another extension is refused with the advice to convert the picture', (type, head) => {
    for (const rule of [UPLOAD.image, UPLOAD.avatar, UPLOAD.adImage])
      expect(checkFileType(rule, 'a.jpg', head)).toEqual({ ok: false, msg: UPLOAD_MESSAGES[type] })
  })

  test('a component may have any content, and is stored with the generic binary media type', () => {
    const verdict = checkFileType(UPLOAD.component, 'fw.html', text('<html>'))
    expect(verdict).toEqual({ ok: true, mime: 'application/octet-stream', extension: 'html' })
  })
})

test('the size of a JPEG is unknown until the bytes after long metadata are read', () => {
  const bytes = jpeg(4000, 3000, 30_000)
  expect(readImageSize(bytes.subarray(0, 4100))).toBeUndefined()
  expect(readImageSize(bytes)).toEqual({ width: 4000, height: 3000 })
})

test('no file content makes the type check throw', () => {
  const name = fc.constantFrom(...Object.values(UPLOAD).flatMap(({ extensions }) => extensions.map((e) => `a.${e}`)))
  const magic = fc.constantFrom(COMPOUND, png(1, 1), jpeg(1, 1), zip('xl/'), Buffer.alloc(0))
  fc.assert(
    fc.property(name, magic, fc.uint8Array({ maxLength: 200 }), (file, start, rest) => {
      const head = Buffer.concat([start, rest])
      expect(() =>
        checkFileType({ ...UPLOAD.file, extensions: [...UPLOAD.file.extensions, 'png', 'jpg'] }, file, head),
      ).not.toThrow()
    }),
  )
})

test('sanitizeFileName removes misleading characters and characters that break an HTTP header', () => {
  expect(sanitizeFileName('../../etc/passwd')).toBe('passwd')
  expect(sanitizeFileName('C:\\temp\\报告.pdf')).toBe('报告.pdf')
  expect(sanitizeFileName('a\u202efdp.exe\r\n')).toBe('afdp.exe')
  expect(sanitizeFileName('...')).toBe('file')
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      const shown = sanitizeFileName(name)
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(200)
      expect(shown).not.toMatch(/[/\\\p{Cc}]/u)
      expect(shown.length).toBeGreaterThan(0)
    }),
  )
  expect(sanitizeFileName(`${'长'.repeat(300)}.docx`)).toMatch(/^长+\.docx$/)
})
