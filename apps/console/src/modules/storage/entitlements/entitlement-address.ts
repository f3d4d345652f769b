type Filters = Readonly<Record<string, string | number | undefined>>

/** Returns the path of the list of entitlements with filters. */
export function entitlementListPath(filters: Filters) {
  const given = Object.entries(filters).flatMap(([key, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[key, String(value)]],
  )
  return `/ossManage/deviceList?${new URLSearchParams(given)}`
}
