import type { Contract } from './endpoint.ts'

/**
 * Marks all writes of a contract whose data all tenants share: staff whose data scope is limited to chosen tenants is
 * refused. Reads stay as they are.
 */
export const sharedData = <const C extends Contract>(contract: C): C =>
  Object.fromEntries(
    Object.entries(contract).map(([name, call]) => [
      name,
      call.method === 'GET' ? call : { ...call, allTenants: true },
    ]),
  ) as C
