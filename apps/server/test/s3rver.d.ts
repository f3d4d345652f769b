declare module 's3rver' {
  interface Options {
    readonly port: number
    readonly address: string
    readonly directory: string
    readonly silent: boolean
    readonly configureBuckets: readonly { readonly name: string }[]
  }
  /** An S3 server inside the test process; it ships no types. Its keys are both `S3RVER`. */
  export default class S3rver {
    constructor(options: Options)
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }
}
