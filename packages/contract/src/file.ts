import * as z from 'zod'
import type { Contract } from './kernel/endpoint.ts'
import { whole } from './kernel/fields.ts'

/** What an upload is for decides who may send it, its limits and its allowed types (`upload.ts`). */
export const FILE_PURPOSES = ['avatar', 'file', 'image', 'notice', 'ticket', 'ticketImage', 'component'] as const
export type FilePurpose = (typeof FILE_PURPOSES)[number]

export const StoredFileRow = z.object({
  id: z.string(),
  name: z.string(),
  /** Address to show or download it by: `/api/v1/file/<id>`. */
  url: z.string(),
  size: z.number(),
  md5: z.string(),
  sha1: z.string(),
  sha256: z.string(),
})

/** Parts of a resumable upload, in bytes; the last part is shorter. */
export const PART_BYTES = 8 * 1024 * 1024
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, '校验值不正确')

export const files = {
  /** One file in the multipart field `file`; a text field or query `purpose` before it. The envelope's `msg` holds its address. */
  upload: {
    method: 'POST',
    path: '/api/v1/file/upload',
    access: 'session',
    body: 'multipart',
    title: '上传文件',
    log: false,
    input: z.object({
      purpose: z.enum(['avatar', 'file', 'image', 'notice', 'ticket', 'ticketImage']).default('file'),
    }),
    result: StoredFileRow,
  },
  download: {
    method: 'GET',
    path: '/api/v1/file/:id',
    access: 'session',
    stream: 'download',
    beforeSetup: true,
    input: z.object({
      id: z.string().regex(/^[0-9a-f]{32}$/, '文件编号不正确'),
      download: z.enum(['0', '1']).optional(),
    }),
    result: z.null(),
  },
  /** Opens a resumable upload, or finds the open one of this account for the same name, size and digest. */
  begin: {
    method: 'POST',
    path: '/api/v1/file/parts/begin',
    access: 'session',
    title: '开始分片上传',
    log: false,
    input: z.object({
      purpose: z.enum(['component']),
      name: z.string('请选择文件').trim().min(1, '请选择文件').max(200, '文件名过长'),
      size: whole('文件大小', 1, Number.MAX_SAFE_INTEGER),
      /** Any text that is the same for the same file chosen again (name, size, last change). */
      fingerprint: z.string('缺少文件标识').min(1).max(200),
    }),
    result: z.object({ uploadId: z.string(), partBytes: z.int(), received: z.array(z.int()) }),
  },
  /** Raw bytes of part `index` as `application/octet-stream`; `sha256` of the part is checked. Sending a part twice is harmless. */
  putPart: {
    method: 'PUT',
    path: '/api/v1/file/parts/:uploadId/:index',
    access: 'session',
    body: 'binary',
    title: '上传分片',
    log: false,
    input: z.object({
      uploadId: z.string().regex(/^[0-9a-f]{32}$/, '上传编号不正确'),
      index: whole('分片序号', 0, 10_000),
      sha256: sha256.optional(),
    }),
    result: z.object({ received: z.array(z.int()) }),
  },
  finish: {
    method: 'POST',
    path: '/api/v1/file/parts/:uploadId/finish',
    access: 'session',
    title: '完成分片上传',
    log: false,
    input: z.object({ uploadId: z.string().regex(/^[0-9a-f]{32}$/, '上传编号不正确'), sha256: sha256.optional() }),
    result: StoredFileRow,
  },
  abort: {
    method: 'DELETE',
    path: '/api/v1/file/parts/:uploadId',
    access: 'session',
    title: '取消分片上传',
    log: false,
    input: z.object({ uploadId: z.string().regex(/^[0-9a-f]{32}$/, '上传编号不正确') }),
    result: z.null(),
  },
} as const satisfies Contract
