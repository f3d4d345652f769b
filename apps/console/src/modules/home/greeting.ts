/** How one is met at this hour: of the vendor's zone, as all times of the console are, else of the browser's. */
export function greeting(now: Date, zone?: string) {
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', ...(zone && { timeZone: zone }) })
  const hour = Number(clock.format(now))
  if (hour < 5) return '夜深了'
  if (hour < 11) return '早上好'
  if (hour < 13) return '中午好'
  return hour < 18 ? '下午好' : '晚上好'
}
