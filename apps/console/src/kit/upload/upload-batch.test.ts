import { UPLOAD } from '@oms/contract/core/upload.ts'
import { ApiError } from '#core/api/api-error.ts'
import { describe, expect, test } from 'vitest'
import { uploadBatch } from './upload-batch.ts'

const file = (name: string) => new File(['x'], name)

async function run(files: File[], present: string[] = []) {
  const problems: string[] = []
  const counts: number[] = []
  const send = async ({ name }: File) => {
    await new Promise((resolve) => setTimeout(resolve, name.startsWith('slow') ? 10 : 1))
    if (name.startsWith('bad')) throw new ApiError(400, '文件内容与格式不符')
    if (name.startsWith('gone')) throw new DOMException('The requested file could not be read', 'NotReadableError')
    return `/f/${name}`
  }
  const onProblem = (problem: string) => void problems.push(problem)
  const onPending = (count: number) => void counts.push(count)
  return {
    list: await uploadBatch(files, { rule: UPLOAD.file, present, send, onPending, onProblem }),
    problems,
    counts,
  }
}

describe('files chosen together', () => {
  test('UPLOAD-05 the counter shows the files still to upload, and the list has the files in the chosen order', async () => {
    const { list, counts } = await run([file('slow.pdf'), file('b.pdf')], ['/f/a.pdf'])
    expect(list).toEqual(['/f/a.pdf', '/f/slow.pdf', '/f/b.pdf'])
    expect(counts).toEqual([2, 1, 0])
  })

  test("UPLOAD-05 a file that fails to upload is left out of the list and shows the server's message", async () => {
    const { list, problems } = await run([file('bad.pdf'), file('b.pdf'), file('gone.pdf')])
    expect(list).toEqual(['/f/b.pdf'])
    // The error text of the browser is English, so a Chinese text replaces it.
    expect(problems.toSorted()).toEqual(['上传失败，请重试', '文件内容与格式不符'])
  })

  test('UPLOAD-01 UPLOAD-02 each invalid file is refused with its own message before the upload', async () => {
    const { list, problems, counts } = await run([file('a.exe'), file('a,b.pdf'), file('c.pdf')])
    expect(list).toEqual(['/f/c.pdf'])
    expect(problems).toEqual([
      '文件格式不正确，请上传doc/docx/xls/xlsx/ppt/pptx/txt/pdf格式文件!',
      '文件名不正确，不能包含英文逗号!',
    ])
    expect(counts).toEqual([1, 0])
  })

  test('UPLOAD-03 all chosen files are refused when their number exceeds the limit', async () => {
    const { list, problems } = await run([file('a.pdf'), file('b.pdf')], ['1', '2', '3', '4'])
    expect(list).toEqual(['1', '2', '3', '4'])
    expect(problems).toEqual(['上传文件数量不能超过 5 个!'])
  })
})
