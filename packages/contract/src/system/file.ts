import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { whole } from '../core/fields.ts'

/** Purpose of an upload: decides who may upload, the limits and the allowed types (`upload.ts`). */
export const FILE_PURPOSES = [
  'avatar',
  'file',
  'image',
  'notice',
  'ticket',
  'ticketImage',
  'component',
  'consent',
  'adImage',
  'adVideo',
  'adAudio',
  'adPackage',
  'adPoster',
  'adProof',
  'agentDemo',
  'agentAudio',
  'agentVoucher',
] as const
export type FilePurpose = (typeof FILE_PURPOSES)[number]

export const StoredFileRow = z.object({
  id: z.string(),
  name: z.string(),
  /** URL of the file for display and download: `/api/v1/file/<id>`. */
  url: z.string(),
  size: z.number(),
  md5: z.string(),
  sha1: z.string(),
  sha256: z.string(),
})

/** Part size of a resumable upload in bytes; the last part may be shorter. */
export const PART_BYTES = 8 * 1024 * 1024
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, '校验值不正确')

export const files = {
  /**
   * Uploads one file in the multipart field `file`. `purpose` is a text field before the file, or a query key. `msg`
   * contains the URL.
   */
  upload: {
    method: 'POST',
    path: '/api/v1/file/upload',
    access: 'session',
    body: 'multipart',
    title: '上传文件',
    log: false,
    input: z.object({
      /** Default: `avatar` for a picture, `document` for any other file. */
      purpose: z
        .enum([
          'avatar',
          'file',
          'image',
          'notice',
          'ticket',
          'ticketImage',
          'consent',
          'adProof',
          'agentDemo',
          'agentAudio',
          'agentVoucher',
        ])
        .optional(),
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
  /** Starts a resumable upload, or returns the account's open upload with the same name, size and digest. */
  begin: {
    method: 'POST',
    path: '/api/v1/file/parts/begin',
    access: 'session',
    title: '开始分片上传',
    log: false,
    input: z.object({
      purpose: z.enum(['component', 'adImage', 'adVideo', 'adAudio', 'adPackage']),
      name: z.string('请选择文件').trim().min(1, '请选择文件').max(200, '文件名过长'),
      size: whole('文件大小', 1, Number.MAX_SAFE_INTEGER),
      /** Client-side key of the chosen file (name, size, last change), used to find an open upload again. */
      fingerprint: z.string('缺少文件标识').min(1).max(200),
    }),
    result: z.object({ uploadId: z.string(), partBytes: z.int(), received: z.array(z.int()) }),
  },
  /**
   * Uploads part `index` as `application/octet-stream`. The server checks the part's `sha256`. Sending a part again
   * is allowed.
   */
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
