/** The part of the global `URL` that the contract uses. The contract has no types of a platform. */
interface UrlClass {
  new (
    address: string,
  ): {
    readonly protocol: string
    readonly hostname: string
    readonly port: string
    readonly username: string
    readonly password: string
    readonly pathname: string
    readonly hash: string
    readonly searchParams: { get(name: string): string | null }
  }
  canParse(address: string): boolean
}

/** The `URL` of the browser or of Node.js. */
export const Url = (globalThis as unknown as { URL: UrlClass }).URL
