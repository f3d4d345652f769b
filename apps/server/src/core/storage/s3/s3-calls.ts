interface S3Calls {
  done: number
  failed: number
  seconds: number
}

/**
 * Calls of the S3 stores by this process, by command. A response that reports a missing object counts as a success. The
 * metrics read the calls without the S3 client, which this file therefore does not import.
 */
export const s3Calls = new Map<string, S3Calls>()

export function noteS3Call(command: string, isDone: boolean, since: number) {
  const calls = s3Calls.get(command) ?? { done: 0, failed: 0, seconds: 0 }
  s3Calls.set(command, calls)
  calls[isDone ? 'done' : 'failed'] += 1
  calls.seconds += (performance.now() - since) / 1000
}
