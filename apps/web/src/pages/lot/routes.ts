/** The addresses of the way by car to a point. */
export function routesTo(lat: number, lng: number, name: string): Record<"device" | "google" | "apple", string> {
  const point = `${lat},${lng}`;
  return {
    device: `geo:${point}?q=${point}(${encodeURIComponent(name)})`,
    google: `https://www.google.com/maps/dir/?api=1&destination=${encodeURIComponent(point)}&travelmode=driving`,
    apple: `https://maps.apple.com/?daddr=${encodeURIComponent(point)}&dirflg=d`,
  };
}
