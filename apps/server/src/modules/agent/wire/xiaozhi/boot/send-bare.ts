import type { XiaozhiCall } from '../call.ts'

/** Sends an object without an envelope, with `Content-Length`, which old firmware needs. */
export function sendPlainJson({ response }: XiaozhiCall, body: object, status = 200) {
  const text = Buffer.from(JSON.stringify(body))
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': text.length })
    .end(text)
}
