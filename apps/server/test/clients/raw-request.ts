import { request } from 'node:http'

/** Sends the request target unchanged. `fetch` would normalise the target. */
export function getRaw(url: string, path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; body: string }>((done, fail) => {
    request({ port: new URL(url).port, path, headers }, async (reply) => {
      let body = ''
      for await (const bytes of reply.setEncoding('utf8')) body += bytes
      done({ status: reply.statusCode ?? 0, body })
    })
      .on('error', fail)
      .end()
  })
}
