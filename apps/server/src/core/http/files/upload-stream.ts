import { PassThrough, type Readable } from 'node:stream'

/**
 * Returns a request body as a separate stream. A reader that stops destroys its stream. Destroying the request itself
 * would close the connection before the response.
 */
export function createUploadStream(payload: Readable): Readable {
  const stream = new PassThrough()
  payload.on('error', (error) => stream.destroy(error))
  payload.once('close', () => {
    if (!payload.readableEnded && !stream.readableEnded)
      stream.destroy(Object.assign(new Error('the upload was cut'), { code: 'ECONNRESET' }))
  })
  stream.once('close', () => payload.unpipe(stream))
  // The stream may have no reader when the connection is lost.
  stream.on('error', () => {})
  return payload.pipe(stream)
}
