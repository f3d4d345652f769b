declare module 's3rver' {
  interface Options {
    readonly port: number
    readonly address: string
    readonly directory: string
    readonly silent: boolean
    readonly configureBuckets: readonly { readonly name: string }[]
  }
  /** Types for an S3 server inside the test process; the package has none. Both keys are `S3RVER`. */
  export default class S3rver {
    constructor(options: Options)
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }
}
