/** A device to bind. Unknown values are empty texts. */
export interface Binding {
  readonly agent: { readonly id: number; readonly tenantId: number }
  /** Twelve hex digits. */
  readonly mac: string
  readonly alias: string
  readonly board: string
  readonly serial: string
  readonly clientId: string
  readonly version: string
  /** Time of the boot that received the code; null for a device that has not booted yet. */
  readonly bootTime: string | null
  /** Model of a new device whose board has no model. */
  readonly fallbackModelId: number
}
